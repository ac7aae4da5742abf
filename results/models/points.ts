import { xValueOf } from '../derive/cells/cell-group.ts';
import { intervalZ, sequentialZ } from '../derive/statistics/interval.ts';
import { studentQuantile } from '../derive/statistics/student.ts';
import { type CellRecord, type MeasuredFigure, measuredOf } from '../schema/index.ts';

/** Measured time of one series (such as allreduce over socket) at one message size. */
export interface SizePoint {
  /** Message size in bytes, positive. For a collective the payload S: the larger one of a rank's send and receive buffer. */
  bytes: number;
  timeNs: number;
  /** Half width of the time's 95 % interval in log time (0.05 is about 5 %); null if it has no interval. */
  half: number | null;
  /** Standard error of the time in log time; null if it has no interval. */
  error: number | null;
  /** Median time of each launch, ns, in the order of launches. */
  launchMediansNs: readonly number[];
  /** Algorithm and protocol that the engine chose, "Ring/LL128", "direct"; "" if the engine did not report them. */
  choice: string;
}

/**
 * Returns the sizes of one series that have the figure, ascending. Size 0 is left out, because nothing is moved, and so are sizes
 * with wrong data.
 * @param cells cells of one series, which differ only in bytes, in any order; of a size that occurs twice the first counts
 * @param figure name of a measured time, such as "latency"
 */
export function sizePoints(cells: readonly CellRecord[], figure: string): SizePoint[] {
  const bySize = new Map<number, SizePoint>();
  for (const cell of cells) {
    const measured = measuredOf(cell, figure);
    const bytes = xValueOf(cell);
    if (cell.status !== 'ok' || measured === null || bytes <= 0 || bySize.has(bytes)) continue;
    // A cell with wrong data is no measurement of the collective.
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

/**
 * Returns half width and standard error of a figure in log time. The standard error is the half width divided by the quantile with
 * which the interval was made. Both are null without an interval.
 */
function errorOf({ interval, launchValues, stopped }: MeasuredFigure): Pick<SizePoint, 'half' | 'error'> {
  if (interval === null || !(interval.low > 0)) return { half: null, error: null };
  const half = Math.log(interval.high / interval.low) / 2;
  const degrees = launchValues.length - 1;
  if (interval.basis === 't') return { half, error: half / studentQuantile(0.975, degrees) };
  // The prior has 2(r-1)(1-c) degrees of freedom for r launches (derive/launches/launches.ts, priorOf), and the interval does not
  // store c. With c = 0 prior and launches have 3(r-1) together. This is the largest possible number, so the quantile is the
  // smallest and the error is never too small.
  if (interval.basis === 'moderated-t') return { half, error: half / studentQuantile(0.975, 3 * degrees) };
  return { half, error: half / (stopped === undefined ? intervalZ : sequentialZ) };
}
