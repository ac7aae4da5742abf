import { type CellRecord, dataOf, seriesKeyOf as keyOf, xOf } from '../../schema/index.ts';

/** Range of message sizes that are judged together (see regimeOf()); `all` if the workload has no x axis in bytes. */
export type Regime = 'small' | 'mid' | 'large' | 'all';

/** Returns the range of sizes with similar behaviour: `small` up to 32 KiB, `mid` below 4 MiB, `large` from 4 MiB. */
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

/**
 * Returns the key of the series to which a result belongs: its cell id without the value on the x axis. The key of a series is
 * equal in all runs.
 */
export const seriesKeyOf = (cell: CellIdentity): string => keyOf(dataOf(cell.workload), cell);

/** Returns the value on the workload's x axis, for collectives the payload in bytes; 0 if the workload has no x axis. */
export const xValueOf = ({ workload, axes }: Pick<CellRecord, 'workload' | 'axes'>): number =>
  xOf(dataOf(workload), axes)?.value ?? 0;

export interface CellGroup {
  /** Key "SERIES/REGIME", such as "SERIES/large"; equal in all runs. */
  key: string;
  series: string;
  regime: Regime;
}

/** Returns the series and size range of a result. Results that agree in both are tested together and share learned variances. */
export function groupOf(cell: CellIdentity): CellGroup {
  const series = seriesKeyOf(cell);
  const x = xOf(dataOf(cell.workload), cell.axes);
  const regime = x?.axis.unit === 'B' ? regimeOf(x.value) : 'all';
  return { key: `${series}/${regime}`, series, regime };
}
