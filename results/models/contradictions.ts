import type { CollectiveName, WorkloadAxes } from '../schema/index.ts';
import type { SizePoint } from './points.ts';

/** A series as input of the checks. All series of one call are of the same run, transport, set of ranks and trial. */
export interface SeriesSizes {
  /** Name of its operation: "allreduce". */
  what: string;
  /** Axes of any of its cells. */
  axes: WorkloadAxes;
  points: readonly SizePoint[];
}

/** A size whose time exceeds that of an alternative with the same result. */
export interface TimeExcess {
  bytes: number;
  timeNs: number;
  /** Time of the alternative and its size, which differs only for dips. */
  otherNs: number;
  otherBytes: number;
}

export interface ModelContradiction {
  /**
   * dip: a larger message takes less time. parts: other collectives do the same work in less time. in-place: working in
   * place takes longer.
   */
  kind: 'dip' | 'parts' | 'in-place';
  series: SeriesSizes;
  /** Collectives that together replace this one; empty for other kinds. */
  parts: readonly CollectiveName[];
  /** Sizes in ascending order, never empty. */
  at: TimeExcess[];
}

/**
 * Sequences of collectives that can replace a collective, which should therefore never take longer. S is the larger buffer
 * throughout, so all collectives of a row are compared at equal S. Source: Traff, Gropp, Thakur, "Self-consistent MPI
 * performance requirements" (2007).
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

/** Minimum excess that is reported, as a share. */
const leastShare = 0.03;
/** Minimum excess in half widths of 95 % intervals: four standard errors if there are many launches. */
const leastHalves = 2.04;

interface TimeWithHalf {
  timeNs: number;
  half: number | null;
}

/** True if `a` takes longer than `b` with certainty and by at least 3 %; false without both intervals. */
function isLonger(a: TimeWithHalf, b: TimeWithHalf): boolean {
  if (a.half === null || b.half === null) return false;
  const reach = Math.max(Math.log(1 + leastShare), leastHalves * Math.hypot(a.half, b.half));
  return Math.log(a.timeNs / b.timeNs) > reach;
}

/** Time of operations one after the other, with errors assumed to be independent. */
function together(parts: readonly TimeWithHalf[]): TimeWithHalf {
  const timeNs = parts.reduce((sum, part) => sum + part.timeNs, 0);
  if (parts.some(({ half }) => half === null)) return { timeNs, half: null };
  return { timeNs, half: Math.hypot(...parts.map((part) => part.timeNs * (part.half ?? 0))) / timeNs };
}

/** Finds times of one machine that contradict each other: an alternative is faster (stats.md 5.3). */
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

/** Sizes that take longer than the next larger one: a switch of protocol or algorithm comes too late, or too early. */
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
