import type { CollectiveName, WorkloadAxes } from '../schema/index.ts';
import type { SizePoint } from './points.ts';

/**
 * All measured message sizes of one series, ascending. All series that one call compares must be of the same run, transport, ranks
 * and kind of trial.
 */
export interface SeriesSizes {
  /** Name of the operation of this series: "allreduce". */
  what: string;
  /** Axis values (data type, reduction, root, in-place) that all measurements of the series share; only the size differs. */
  axes: WorkloadAxes;
  points: readonly SizePoint[];
}

/**
 * A message size that took longer than something that should not be faster: the next larger message, other collectives that
 * together do the same work, or the same operation out of place.
 */
export interface TimeExcess {
  /** The message size that took too long; `timeNs` is its measured time. */
  bytes: number;
  timeNs: number;
  /** Time of the faster alternative, ns. `otherBytes` is its size: the next larger one for kind `dip`, otherwise the same. */
  otherNs: number;
  otherBytes: number;
}

export interface ModelContradiction {
  /**
   * Kind of the faster alternative. dip: a larger message takes less time. parts: other collectives together do the same work in
   * less time. in-place: the operation out of place takes less time.
   */
  kind: 'dip' | 'parts' | 'in-place';
  /** The series with the times that are too long. */
  series: SeriesSizes;
  /** Names of the collectives that together do the same work faster; empty unless `kind` is `parts`. */
  parts: readonly CollectiveName[];
  /** Message sizes at which the alternative is faster, ascending, at least one. */
  at: TimeExcess[];
}

/**
 * Sequences of collectives that can replace a collective, which should therefore never take longer than they do. S is always the
 * larger of the send and receive buffers, so all collectives of a row are compared at equal S. Source: Traff, Gropp, Thakur,
 * "Self-consistent MPI performance requirements" (2007).
 */
const guidelines: readonly { whole: CollectiveName; parts: readonly CollectiveName[] }[] = [
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

/** A time counts as too long only if it exceeds the alternative's time by more than this share (3 %). */
const minShare = 0.03;
/**
 * A time must also exceed the alternative's time by this multiple of the half widths of both 95 % intervals, combined as the root
 * of the sum of squares; this is about four standard errors.
 */
const minHalfWidths = 2.04;

interface TimeWithHalf {
  timeNs: number;
  half: number | null;
}

/**
 * True if `a` takes longer than `b` by more than 3 %, and by more than both intervals together explain. False if `a` or `b` has no
 * interval.
 */
function isLonger(a: TimeWithHalf, b: TimeWithHalf): boolean {
  if (a.half === null || b.half === null) return false;
  const reach = Math.max(Math.log(1 + minShare), minHalfWidths * Math.hypot(a.half, b.half));
  return Math.log(a.timeNs / b.timeNs) > reach;
}

/**
 * Returns the sum of the times of several operations, with the relative half width of its 95 % interval; `half` is null if one of
 * them has no interval.
 */
function together(parts: readonly TimeWithHalf[]): TimeWithHalf {
  const timeNs = parts.reduce((sum, part) => sum + part.timeNs, 0);
  if (parts.some(({ half }) => half === null)) return { timeNs, half: null };
  return { timeNs, half: Math.hypot(...parts.map((part) => part.timeNs * (part.half ?? 0))) / timeNs };
}

/**
 * Returns the cases in which one measured time contradicts another, because an alternative on the same machine is faster, by more
 * than 3 % and more than both intervals explain: the next larger size, other operations that together do the same (as in the
 * performance guidelines of ReproMPI), or the operation out of place. Times without an interval never contradict.
 * @param all series of one run, transport, number of ranks and kind of trial; the function does not check this
 */
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

/**
 * Returns the sizes that take longer than the next larger size; sizes without an interval are left out. Probable reason: the
 * library changes protocol or algorithm at the wrong size.
 * @param points ascending by size
 */
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
