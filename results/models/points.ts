import { intervalZ, soughtZ } from '../derive/interval.ts';
import { studentQuantile } from '../derive/student.ts';
import type { CellRecord, TrialFigures } from '../schema/index.ts';

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
export function sizePoints(cells: readonly CellRecord[], trial: 'isolated' | 'pipelined'): SizePoint[] {
  const bySize = new Map<number, SizePoint>();
  for (const cell of cells) {
    const figures = cell.status === 'ok' ? cell[trial] : null;
    if (cell.status !== 'ok' || figures === null || cell.payloadBytes <= 0 || bySize.has(cell.payloadBytes))
      continue;
    // Wrong data is no measurement of the collective.
    if (cell.verification.wrongElements > 0) continue;
    bySize.set(cell.payloadBytes, {
      bytes: cell.payloadBytes,
      timeNs: figures.medianNs,
      ...errorOf(figures),
      launchMediansNs: figures.launchMediansNs,
      choice: [cell.algorithm, cell.protocol ?? ''].filter((word) => word !== '').join('/'),
    });
  }
  return [...bySize.values()].sort((a, b) => a.bytes - b.bytes);
}

/** The standard error follows from the quantile that the interval was made with. */
function errorOf({ interval, launchMediansNs, stopped }: TrialFigures): Pick<SizePoint, 'half' | 'error'> {
  if (interval === null || !(interval.lowNs > 0)) return { half: null, error: null };
  const half = Math.log(interval.highNs / interval.lowNs) / 2;
  const degrees = launchMediansNs.length - 1;
  if (interval.basis === 't') return { half, error: half / studentQuantile(0.975, degrees) };
  // derive/launches.ts: the prior counts as twice the launches' own degrees.
  if (interval.basis === 'moderated-t') return { half, error: half / studentQuantile(0.975, 3 * degrees) };
  return { half, error: half / (stopped === undefined ? intervalZ : soughtZ) };
}
