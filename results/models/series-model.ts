import { median } from 'simple-statistics';
import { bootstrapIntervals } from './bootstrap.ts';
import { type CostLine, type FitPoint, fitLine, lineTime } from './line.ts';
import type { SizePoint } from './points.ts';
import { type LineSegment, minSegmentPoints, segmentsOf } from './segments.ts';

/**
 * A parameter of the fitted model with its 95 % interval. The interval is null with fewer than five launches, if sizes have
 * different numbers of launches, or if the parameter is 0, or is 0 or not determined for some resampled launches.
 */
export interface ModelEstimate {
  value: number;
  interval: { low: number; high: number } | null;
}

export interface ModelSegment extends CostLine {
  firstBytes: number;
  lastBytes: number;
}

/**
 * Two neighbouring sizes in bytes: one fitted line ends at the first (`belowBytes`), the next begins at the second (`fromBytes`).
 */
export interface SizeBreak {
  belowBytes: number;
  fromBytes: number;
  /**
   * Change of algorithm or protocol at these sizes, or one size before or after: "Ring/LL to Ring/Simple". Null if the engine did
   * not change its choice there, or did not report it.
   */
  choice: string | null;
}

export interface FittedModel {
  status: 'fitted';
  /** Fitted lines by ascending size, at least one; each is for the measured sizes from `firstBytes` to `lastBytes`. */
  segments: ModelSegment[];
  /** For each line but the first, the sizes between which it begins. */
  breaks: SizeBreak[];
  /** Extrapolated time of a message without payload, ns: the value at size 0 of the line that was fitted to the smallest sizes. */
  latencyNs: ModelEstimate;
  /**
   * Bandwidth in GB/s that the model gives for very large sizes; null if the measured sizes do not determine it, `saturationReason`
   * then says why.
   */
  saturation: Saturation | null;
  saturationReason: string | null;
  /** Largest deviation of a measured time from the model, as a share of the time, and the size at which it is. */
  largestResidual: FitResidual;
  /** Number of sizes to which the model was fitted. */
  points: number;
  /** Why all intervals of the parameters are null; null if they were computed. */
  intervalReason: string | null;
}

export interface Saturation {
  /** Algorithm bandwidth for very large sizes in GB/s; `busGBps` is the bus bandwidth. */
  algGBps: ModelEstimate;
  busGBps: ModelEstimate;
  /** Size in bytes at which half of the saturation bandwidth is reached (Hockney's n1/2). */
  halfBytes: ModelEstimate;
  /**
   * Bandwidth at the largest measured size, as a share of the saturation bandwidth. Below 1, the saturation bandwidth is
   * extrapolated beyond that size.
   */
  reachedShare: number;
}

export interface NoModel {
  status: 'none';
  /** Why there is no model, as a clause for readers. */
  reason: string;
  /**
   * Largest deviation of a measured time from the fitted lines, which were rejected for it (`worstResidual`); null if no lines were
   * fitted.
   */
  largestResidual: FitResidual | null;
}

export interface FitResidual {
  /** Deviation from the measured time, as a share of it, without sign. */
  share: number;
  bytes: number;
}

export type SeriesModel = FittedModel | NoModel;

/** A model is accepted if no measured time deviates from it by more than this share of the time. */
export const worstResidual = 0.1;
/**
 * Factor on standard errors, because errors computed from few launches are uncertain. Without it, noise adds a line to the fitted
 * model in one of ten series with 2 launches.
 */
const caution = 1.25;
/**
 * Lowest relative standard error of a time that the fit assumes (0.003 = 0.3 %). `unknownSpread` is assumed for times without an
 * interval.
 */
const minSpread = 0.003;
const unknownSpread = 0.02;

/**
 * Returns latency, saturation bandwidth and half size of a series, from times fitted by lines T = alpha + beta S for consecutive
 * size ranges (results/README.md, Models). Status `none` with fewer than `minSegmentPoints` sizes, or if a time deviates by more
 * than `worstResidual`.
 * @param points result of sizePoints()
 * @param busFactor bus bandwidth divided by algorithm bandwidth, for the collective at this number of ranks
 */
export function seriesModel(points: readonly SizePoint[], busFactor: number): SeriesModel {
  const none = (reason: string, miss: NoModel['largestResidual'] = null): NoModel => ({
    status: 'none',
    reason,
    largestResidual: miss,
  });
  if (points.length < minSegmentPoints) {
    return none(`a line needs at least ${minSegmentPoints} sizes, there are ${points.length}`);
  }
  const fitted = points.map(
    ({ bytes, timeNs }, i): FitPoint => ({ bytes, timeNs, spread: spreadAt(points, i) }),
  );
  const cut = segmentsOf(fitted);
  const largestResidual = worstOf(points, cut);
  if (largestResidual.share > worstResidual) {
    return none(`the fit misses a size by more than ${100 * worstResidual} %`, largestResidual);
  }
  const sizes = points.map(({ bytes }) => bytes);
  const refit = (timesNs: readonly number[]): ModelParameters => {
    const again = fitted.map((point, i) => ({ ...point, timeNs: timesNs[i] as number }));
    const lines = [cut[0], cut.at(-1)].map(
      (segment) => fitLine(again.slice(segment?.first, (segment?.last ?? 0) + 1)).line,
    ) as [CostLine, CostLine];
    return parameters(again, ...lines);
  };
  const [first, last] = [cut[0], cut.at(-1)] as [CostLine, CostLine];
  const value = parameters(fitted, first, last);
  const { intervals, reason } = bootstrapIntervals(points, refit, value);
  const estimate = (name: keyof ModelParameters, factor = 1): ModelEstimate => ({
    value: (value[name] ?? 0) * factor,
    interval: scaled(intervals?.[name] ?? null, factor),
  });
  const end = points.at(-1) as SizePoint;
  const reachedShare = value.algGBps === null ? 0 : end.bytes / end.timeNs / value.algGBps;
  return {
    status: 'fitted',
    segments: cut.map((segment) => ({
      alphaNs: segment.alphaNs,
      nsPerByte: segment.nsPerByte,
      firstBytes: sizes[segment.first] as number,
      lastBytes: sizes[segment.last] as number,
    })),
    breaks: cut.slice(1).map((segment) => breakBefore(points, segment.first)),
    latencyNs: estimate('latencyNs'),
    saturation:
      value.algGBps === null || value.halfBytes === null
        ? null
        : {
            algGBps: estimate('algGBps'),
            busGBps: estimate('algGBps', busFactor),
            halfBytes: estimate('halfBytes'),
            reachedShare,
          },
    saturationReason: saturationReason(value, fitted),
    largestResidual,
    points: points.length,
    intervalReason: reason,
  };
}

/**
 * Returns the relative standard error of the time at one size that the fit uses, at least 0.003: the median error of this size and
 * up to two sizes to either side, times 1.25 (`caution`), because errors from few launches are uncertain. An error that is small by
 * chance would pull the line to its size. With the median, the 95 % intervals of the saturation bandwidth contain the true value in
 * 94 % of simulations instead of 92 to 93 %.
 * @param at index of the size in `points`
 */
function spreadAt(points: readonly SizePoint[], at: number): number {
  const near = points.slice(Math.max(0, at - 2), at + 3).map(({ error }) => error ?? unknownSpread);
  return Math.max(caution * median(near), minSpread);
}

function worstOf(points: readonly SizePoint[], cut: readonly LineSegment[]): FitResidual {
  const all = cut.flatMap((segment) =>
    points
      .slice(segment.first, segment.last + 1)
      .map(({ bytes, timeNs }) => ({ share: Math.abs(lineTime(segment, bytes) / timeNs - 1), bytes })),
  );
  return all.reduce((worst, one) => (one.share > worst.share ? one : worst));
}

/**
 * Reported parameters of a model: latency in ns, saturation bandwidth in GB/s, and the size in bytes at which half of that
 * bandwidth is reached; null if the times do not determine it.
 */
export interface ModelParameters {
  latencyNs: number;
  algGBps: number | null;
  halfBytes: number | null;
}

function parameters(points: readonly FitPoint[], first: CostLine, last: CostLine): ModelParameters {
  const algGBps = last.nsPerByte > 0 ? 1 / last.nsPerByte : null;
  const halfBytes = algGBps === null ? null : halfSize(points, last.nsPerByte);
  return { latencyNs: first.alphaNs, algGBps, halfBytes };
}

function saturationReason(
  { algGBps, halfBytes }: ModelParameters,
  points: readonly FitPoint[],
): string | null {
  if (algGBps === null) return 'time does not grow with size up to the largest size';
  if (halfBytes !== null) return null;
  const start = points[0] as FitPoint;
  return start.bytes / start.timeNs >= algGBps / 2
    ? 'the smallest size is above the half size already'
    : 'the largest size does not reach half of it';
}

/**
 * Returns the sizes between which a line begins, with the engine's change of algorithm or protocol there or one size before or
 * after: noise may shift the line's start by one size.
 * @param at index of the line's first size
 */
function breakBefore(points: readonly SizePoint[], at: number): SizeBreak {
  const changes = [at, at - 1, at + 1].flatMap((i) => {
    const [before, after] = [points[i - 1]?.choice ?? '', points[i]?.choice ?? ''];
    return before !== '' && after !== '' && before !== after ? [`${before} to ${after}`] : [];
  });
  return {
    belowBytes: points[at - 1]?.bytes ?? 0,
    fromBytes: points[at]?.bytes ?? 0,
    choice: changes[0] ?? null,
  };
}

function scaled(interval: ModelEstimate['interval'], factor: number): ModelEstimate['interval'] {
  return interval === null ? null : { low: interval.low * factor, high: interval.high * factor };
}
interface SizeTime {
  bytes: number;
  timeNs: number;
}

/**
 * Returns the size in bytes at which the measured bandwidth first reaches half of the saturation bandwidth: n1/2 of Hockney. It is
 * computed from the times, because alpha/beta of a line is misleading with several lines. Between neighbouring sizes time is
 * assumed linear in bytes, as for crossovers: interpolation of both logarithms gives 3 % too much if each size is twice the one
 * before.
 * @param points in order of size
 * @param nsPerByte slope of the last line, the inverse of the algorithm bandwidth at saturation; positive
 * @returns null if the smallest size already exceeds half the bandwidth, or if no size reaches it
 */
export function halfSize(points: readonly SizeTime[], nsPerByte: number): number | null {
  // At half the bandwidth each byte takes twice as long.
  const excess = ({ bytes, timeNs }: SizeTime) => timeNs - 2 * nsPerByte * bytes;
  const at = points.findIndex((point) => excess(point) <= 0);
  const [before, after] = [points[at - 1], points[at]];
  if (before === undefined || after === undefined) return null;
  const share = excess(before) / (excess(before) - excess(after));
  return before.bytes + share * (after.bytes - before.bytes);
}
