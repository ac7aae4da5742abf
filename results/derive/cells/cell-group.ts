import { type CellRecord, dataOf, seriesKeyOf as keyOf, xOf } from '../../schema/index.ts';

/** Range of message sizes in which a cell is; `all` if the x axis is no message size, or if the workload has no x axis. */
export type Regime = 'small' | 'mid' | 'large' | 'all';

/**
 * Returns the range of sizes with similar behaviour (stats.md 3.3): `small` up to 32 KiB, `mid` below 4 MiB, `large` from 4 MiB.
 */
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

/** Returns the key of the cell's series, equal in every run: the cell's id without the x value. */
export const seriesKeyOf = (cell: CellIdentity): string => keyOf(dataOf(cell.workload), cell);

/** Returns the cell's value on the x axis, for example payload bytes; 0 if the workload has no x axis. */
export const xValueOf = ({ workload, axes }: Pick<CellRecord, 'workload' | 'axes'>): number =>
  xOf(dataOf(workload), axes)?.value ?? 0;

export interface CellGroup {
  /** Text that is equal in all runs for the same series and size range. */
  key: string;
  series: string;
  regime: Regime;
}

/** Returns the series and size range of a cell. Cells with the same ones are tested together, and share the learned scatter. */
export function groupOf(cell: CellIdentity): CellGroup {
  const series = seriesKeyOf(cell);
  const x = xOf(dataOf(cell.workload), cell.axes);
  const regime = x?.axis.unit === 'B' ? regimeOf(x.value) : 'all';
  return { key: `${series}/${regime}`, series, regime };
}
