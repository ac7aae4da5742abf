import { type CellRecord, dataOf, seriesKeyOf as keyOf, xOf } from '../schema/index.ts';

/** `all`: of workloads whose x is no message size, and of those without x. */
export type Regime = 'small' | 'mid' | 'large' | 'all';

/** Sizes that behave alike (stats.md 3.3): up to 32 KiB, below 4 MiB, from there. */
export function regimeOf(bytes: number): Exclude<Regime, 'all'> {
  if (bytes <= 32 * 1024) return 'small';
  return bytes < 4 * 1024 * 1024 ? 'mid' : 'large';
}

export const regimeText: Record<Regime, string> = {
  small: 'up to 32 KiB',
  mid: 'between 32 KiB and 4 MiB',
  large: 'from 4 MiB',
  all: 'everywhere',
};

type CellIdentity = Pick<
  CellRecord,
  'workload' | 'axes' | 'requested' | 'ranks' | 'nodes' | 'engine' | 'transport' | 'medium' | 'group'
>;

/** What all cells of a series have in common, equal in every run that measures it: the id without x. */
export const seriesKeyOf = (cell: CellIdentity): string => keyOf(dataOf(cell.workload), cell);

/** Value of the axis that is drawn along x; 0 where the workload has none. */
export const xValueOf = ({ workload, axes }: Pick<CellRecord, 'workload' | 'axes'>): number =>
  xOf(dataOf(workload), axes)?.value ?? 0;

export interface CellGroup {
  /** Equal for equal series and regime in every run. */
  key: string;
  series: string;
  regime: Regime;
}

/** Series and regime of a cell: what is tested as one, and learns its scatter as one. */
export function groupOf(cell: CellIdentity): CellGroup {
  const series = seriesKeyOf(cell);
  const x = xOf(dataOf(cell.workload), cell.axes);
  const regime = x?.axis.unit === 'B' ? regimeOf(x.value) : 'all';
  return { key: `${series}/${regime}`, series, regime };
}
