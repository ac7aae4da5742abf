import { xValueOf } from '../derive/cell-group.ts';
import { intervalZ, sequentialZ } from '../derive/statistics/interval.ts';
import { studentQuantile } from '../derive/statistics/student.ts';
import { type CellRecord, type MeasuredFigure, measuredOf } from '../schema/index.ts';

/** One size of a series. */
export interface SizePoint {
  /** S, positive. */
  bytes: number;
  timeNs: number;
  /** Half width of the 95 % interval of log time; null without one. */
  half: number | null;
  /** Standard error of log time; null without an interval. */
  error: number | null;
  launchMediansNs: readonly number[];
  /** "Ring/LL128", "direct"; "" where the engine did not say. */
  choice: string;
}

/**
 * The sizes of one series that have figures, in order. Size 0 moves nothing and is no point of a line.
 * @param cells of one series (all that differ only in bytes), any order; of a size met twice the first counts
 */
export function sizePoints(cells: readonly CellRecord[], figure: string): SizePoint[] {
  const bySize = new Map<number, SizePoint>();
  for (const cell of cells) {
    const measured = measuredOf(cell, figure);
    const bytes = xValueOf(cell);
    if (cell.status !== 'ok' || measured === null || bytes <= 0 || bySize.has(bytes)) continue;
    // Wrong data is no measurement of the collective.
    if (cell.verification.wrongElements > 0) continue;
    bySize.set(bytes, {
      bytes,
      timeNs: measured.value,
      ...errorOf(measured),
      launchMediansNs: measured.launchValues,
      choice: [cell.choice.algorithm, cell.choice.protocol ?? ''].filter((word) => word !== '').join('/'),
    });
  }
  return [...bySize.values()].sort((a, b) => a.bytes - b.bytes);
}

/** The standard error follows from the quantile that the interval was made with. */
function errorOf({ interval, launchValues, stopped }: MeasuredFigure): Pick<SizePoint, 'half' | 'error'> {
  if (interval === null || !(interval.low > 0)) return { half: null, error: null };
  const half = Math.log(interval.high / interval.low) / 2;
  const degrees = launchValues.length - 1;
  if (interval.basis === 't') return { half, error: half / studentQuantile(0.975, degrees) };
  // derive/launches.ts: the prior counts as twice the launches' own degrees.
  if (interval.basis === 'moderated-t') return { half, error: half / studentQuantile(0.975, 3 * degrees) };
  return { half, error: half / (stopped === undefined ? intervalZ : sequentialZ) };
}
