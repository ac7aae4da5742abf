import { tInterval } from '../results/derive/statistics/launch-interval.ts';
import { crossings } from '../results/derive/summaries/crossover.ts';
import { measuredOf, sideOf } from '../results/schema/index.ts';
import { figureRow } from './rows.ts';
import { isOk, isOnDevice, type Series, type SeriesGroup } from './series.ts';
import { logHalf } from './series-comparison.ts';
import { formatCount, formatTime } from './wording.ts';

/**
 * Three times of a series on GPUs at one x, all per operation: latency, time per pipelined operation, and the host's time to
 * enqueue an operation. `x`: mostly the message size in bytes.
 */
export interface DevicePoint {
  x: number;
  latencyNs: number;
  pipelinedNs: number;
  /** Time in which the host enqueues one operation, in nanoseconds. */
  enqueueNs: number;
  /**
   * Half width of the 95 % interval of the natural logarithm of the latency; null without an interval. `enqueueHalf` is that of the
   * enqueue time.
   */
  latencyHalf: number | null;
  enqueueHalf: number | null;
  /** Number of operations in one sample of the pipelined trial, which run back to back and are timed together. */
  batch: number;
  /**
   * The side that takes longer per operation: the host (to enqueue it) or the GPUs (to carry it out). `open` if the 95 % interval
   * of the ratio of these times contains 1; a missing interval counts as zero width.
   */
  longer: 'host' | 'device' | 'open';
}

/**
 * A series in which, at the smallest measured x (`smallest`), the host certainly takes longer to enqueue an operation than the GPUs
 * to carry it out: the 95 % interval of the ratio excludes 1. The host therefore limits the pipelined time at this x.
 */
export interface EnqueueBound {
  series: Series;
  smallest: DevicePoint;
  /**
   * The x at which enqueue time and latency are equal: estimated at `about`, between `low` and `high`. `at` is the first point from
   * which on the GPUs certainly take longer at every x. Null if there is no such point, or if the two curves do not cross.
   */
  meeting: { about: number; low: number; high: number; at: DevicePoint } | null;
}

export function devicePoints(series: Series): DevicePoint[] {
  return series.slots.flatMap(({ cell, x }) => {
    const [latency, pipelined] = [measuredOf(cell, 'latency'), measuredOf(cell, 'pipelined')];
    const enqueue = isOk(cell) ? sideOf(cell, 'enqueue') : null;
    if (latency === null || pipelined === null || enqueue === null || !(enqueue.value > 0)) return [];
    const latencyHalf = logHalf(latency.interval);
    const enqueueHalf = enqueue.launchValues.length < 2 ? null : halfOf(enqueue.launchValues);
    const ahead = Math.log(enqueue.value / latency.value);
    const h = Math.hypot(latencyHalf ?? 0, enqueueHalf ?? 0);
    return [
      {
        x,
        latencyNs: latency.value,
        pipelinedNs: pipelined.value,
        enqueueNs: enqueue.value,
        latencyHalf,
        enqueueHalf,
        batch: pipelined.batch,
        longer: ahead > h ? 'host' : ahead < -h ? 'device' : 'open',
      },
    ];
  });
}

function halfOf(launchValues: readonly number[]): number | null {
  const { lowNs, highNs } = tInterval(launchValues);
  return logHalf({ low: lowNs, high: highNs });
}

/**
 * Checks whether the host's time to enqueue operations limits a series. Returns the smallest x and the x at which the times meet.
 * @returns null unless the host certainly takes longer than the GPUs at the smallest x that has latency, pipelined time and enqueue
 * time. Null also if operations are replayed as a CUDA graph, because they are then not enqueued one by one
 */
export function enqueueBoundOf(series: Series): EnqueueBound | null {
  if (series.run.plan.settings.graph === '1') return null;
  const points = devicePoints(series);
  const smallest = points[0];
  if (smallest === undefined || smallest.longer !== 'host') return null;
  const last = points.findLastIndex((p) => p.longer !== 'device');
  const at = points[last + 1];
  if (at === undefined) return { series, smallest, meeting: null };
  const roots = crossings(
    points.map((p) => ({
      x: p.x,
      aNs: p.enqueueNs,
      bNs: p.latencyNs,
      // With a single launch the enqueue time has no interval; the interval of the crossing then comes from the latency alone.
      aHalf: p.enqueueHalf ?? 0,
      bHalf: p.latencyHalf,
    })),
  );
  const root = roots.at(-1);
  if (root === undefined) return { series, smallest, meeting: null };
  const { x: about, low, high } = root;
  return { series, smallest, meeting: { about, low: low ?? about, high: high ?? about, at } };
}

export function enqueueBoundsOf(group: SeriesGroup): EnqueueBound[] {
  return group.series.flatMap((series) => enqueueBoundOf(series) ?? []);
}

/**
 * Returns how much of the pipelined time is the host's enqueue time: '' (above 90 %, all of it), "mostly " (above 50 %) or "in part
 * ". The enqueue time is measured with idle GPUs; with busy GPUs it may be higher.
 */
function hostShare({ enqueueNs, pipelinedNs }: DevicePoint): string {
  const share = enqueueNs / pipelinedNs;
  return share > 0.9 ? '' : share > 0.5 ? 'mostly ' : 'in part ';
}

/**
 * Returns three sentences for readers who know nccl-tests: what the pipelined time is; how much of it, at small x, is the host's
 * time to enqueue operations; from which x on that time is hidden, or that no measured x is large enough.
 * @param over text after the smallest x, such as the series: " over socket", or ""
 */
export function enqueueBoundText(
  { row, x }: Pick<SeriesGroup, 'row' | 'x'>,
  { smallest, meeting }: Omit<EnqueueBound, 'series'>,
  over: string,
): string {
  const { batch } = smallest;
  const known = figureRow(row, 'pipelined')?.sameAs;
  const queued = batch === 20 ? '20 calls' : `20 calls (here ${formatCount(batch)})`;
  const what =
    known === undefined
      ? `The pipelined time is that of ${formatCount(batch)} calls queued by the host, elapsed / calls.`
      : `${known} prints the pipelined time: ${queued} queued by the host, elapsed / ${batch === 20 ? 20 : 'calls'}.`;
  const graph = known === undefined ? 'latency' : `latency; what ${known} -G shows`;
  const small = `At ${x.text(smallest.x)}${over} that is ${formatTime(smallest.pipelinedNs)}, ${hostShare(smallest)}the host's enqueue cost (${formatTime(smallest.enqueueNs)} per call), not the ${row.noun}, which takes ${formatTime(smallest.latencyNs)} on the GPUs once queued (${graph}).`;
  if (meeting === null)
    return `${what} ${small} No ${x.noun} of this run is large enough to hide the enqueue cost with certainty.`;
  const { about, at } = meeting;
  const [low, high] = [x.about(meeting.low), x.about(meeting.high)];
  const zone = low === high ? '' : ` (between ${low} and ${high})`;
  const large = `From about ${x.about(about)}${zone} the enqueue cost is hidden: at ${x.text(at.x)} pipelined ${formatTime(at.pipelinedNs)}, latency ${formatTime(at.latencyNs)}.`;
  return `${what} ${small} ${large}`;
}

/**
 * Returns full sentences that explain how the host's enqueue time limits small messages, for one series: that with the highest
 * ratio of enqueue time to latency at its smallest x. "" if the host limits no series.
 */
export function enqueueBoundSentence(groups: readonly SeriesGroup[]): string {
  const excess = ({ smallest }: EnqueueBound) => smallest.enqueueNs / smallest.latencyNs;
  const all = groups
    .filter(isOnDevice)
    .flatMap((group) => enqueueBoundsOf(group).map((bound) => ({ group, bound })));
  const [most] = all.toSorted((a, b) => excess(b.bound) - excess(a.bound));
  if (most === undefined) return '';
  const title = groups.length > 1 ? ` (${most.group.title})` : '';
  const over = most.group.series.length > 1 ? ` over ${most.bound.series.name}` : '';
  return enqueueBoundText(most.group, most.bound, over + title);
}
