import type { CollectiveName, WorkloadAxes } from '../schema/index.ts';
import type { SizePoint } from './points.ts';

/** A series as the checks want it: all of one call come from one run, transport and set of ranks, with one trial. */
export interface SeriesSizes {
  /** Its operation: "allreduce". */
  what: string;
  /** Of any of its cells. */
  axes: WorkloadAxes;
  points: readonly SizePoint[];
}

/** A size at which more time was taken than something that does as much took. */
export interface TimeExcess {
  bytes: number;
  timeNs: number;
  /** What it is held against, and its size: another one for dips. */
  otherNs: number;
  otherBytes: number;
}

export interface ModelContradiction {
  /**
   * dip: a larger message takes less time. parts: other collectives do the same work in less. in-place: working in place
   * takes longer.
   */
  kind: 'dip' | 'parts' | 'in-place';
  series: SeriesSizes;
  /** Of kind parts: what would do. */
  parts: readonly CollectiveName[];
  /** In order of size, never empty. */
  at: TimeExcess[];
}

/**
 * What a collective can be replaced by: it should never take longer. S is the larger buffer throughout, so all of a row are
 * compared at equal S. Source: Traff, Gropp, Thakur, "Self-consistent MPI performance requirements" (2007).
 */
export const guidelines: readonly { whole: CollectiveName; parts: readonly CollectiveName[] }[] = [
  { whole: 'allreduce', parts: ['reducescatter', 'allgather'] },
  { whole: 'allreduce', parts: ['reduce', 'broadcast'] },
  { whole: 'allgather', parts: ['alltoall'] },
  { whole: 'allgather', parts: ['gather', 'broadcast'] },
  { whole: 'broadcast', parts: ['scatter', 'allgather'] },
  { whole: 'reduce', parts: ['allreduce'] },
  { whole: 'reducescatter', parts: ['allreduce'] },
  { whole: 'gather', parts: ['allgather'] },
  { whole: 'scatter', parts: ['broadcast'] },
];

/** Less is nobody's concern. */
const leastShare = 0.03;
/** In half widths of 95 % intervals: four standard errors where launches are many. */
const leastHalves = 2.04;

interface TimeWithHalf {
  timeNs: number;
  half: number | null;
}

/** Whether `a` takes longer than `b` beyond doubt and by 3 % at least; never without both intervals. */
function isLonger(a: TimeWithHalf, b: TimeWithHalf): boolean {
  if (a.half === null || b.half === null) return false;
  const reach = Math.max(Math.log(1 + leastShare), leastHalves * Math.hypot(a.half, b.half));
  return Math.log(a.timeNs / b.timeNs) > reach;
}

/** One after the other; their errors are taken as independent. */
function together(parts: readonly TimeWithHalf[]): TimeWithHalf {
  const timeNs = parts.reduce((sum, part) => sum + part.timeNs, 0);
  if (parts.some(({ half }) => half === null)) return { timeNs, half: null };
  return { timeNs, half: Math.hypot(...parts.map((part) => part.timeNs * (part.half ?? 0))) / timeNs };
}

/** Times of one machine that cannot all be as good as they should be (stats.md 5.3). */
export function contradictions(all: readonly SeriesSizes[]): ModelContradiction[] {
  return all
    .flatMap((series) => [
      found('dip', series, [], dipsOf(series.points)),
      ...guidelines
        .filter(({ whole }) => whole === series.what)
        .map(({ parts }) => found('parts', series, parts, slowerThan(series, all, parts))),
      found('in-place', series, [], slowerInPlace(series, all)),
    ])
    .filter(({ at }) => at.length > 0);
}

const found = (
  kind: ModelContradiction['kind'],
  series: SeriesSizes,
  parts: readonly CollectiveName[],
  at: TimeExcess[],
): ModelContradiction => ({ kind, series, parts, at });

/** Sizes that take longer than the next one: a switch of protocol or algorithm comes too late, or too early. */
export function dipsOf(points: readonly SizePoint[]): TimeExcess[] {
  return points.flatMap((point, i) => {
    const next = points[i + 1];
    if (next === undefined || !isLonger(point, next)) return [];
    return [{ bytes: point.bytes, timeNs: point.timeNs, otherNs: next.timeNs, otherBytes: next.bytes }];
  });
}

const isSame = (a: SeriesSizes, b: SeriesSizes, axes: readonly string[]): boolean =>
  axes.every((axis) => a.axes[axis] === b.axes[axis]);

function slowerThan(
  series: SeriesSizes,
  all: readonly SeriesSizes[],
  parts: readonly CollectiveName[],
): TimeExcess[] {
  const others = parts.map((name) =>
    all.find(
      (other) =>
        other.what === name &&
        isSame(other, series, ['dtype', 'inPlace']) &&
        ['op', 'root'].every(
          (axis) => other.axes[axis] === null || series.axes[axis] === null || isSame(other, series, [axis]),
        ),
    ),
  );
  return excesses(series, (bytes) => {
    const at = others.flatMap((other) => other?.points.find((point) => point.bytes === bytes) ?? []);
    return at.length === parts.length ? together(at) : null;
  });
}

function slowerInPlace(series: SeriesSizes, all: readonly SeriesSizes[]): TimeExcess[] {
  if (series.axes.inPlace !== true) return [];
  const apart = all.find(
    (o) => o.axes.inPlace === false && o.what === series.what && isSame(o, series, ['dtype', 'op', 'root']),
  );
  return excesses(series, (bytes) => apart?.points.find((point) => point.bytes === bytes) ?? null);
}

function excesses({ points }: SeriesSizes, otherAt: (bytes: number) => TimeWithHalf | null): TimeExcess[] {
  return points.flatMap((point) => {
    const other = otherAt(point.bytes);
    if (other === null || !isLonger(point, other)) return [];
    return [{ bytes: point.bytes, timeNs: point.timeNs, otherNs: other.timeNs, otherBytes: point.bytes }];
  });
}
