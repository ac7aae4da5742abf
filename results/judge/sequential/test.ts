import { mean, median, probit } from 'simple-statistics';
import {
  assumedScatter,
  changeBets,
  confidenceSequence,
  evidence,
  type KnownScatter,
  type ScaledPair,
  sameBets,
  withScale,
  withScales,
} from './evidence.ts';

export interface SequentialOptions {
  /** Relative difference up to which two builds count as the same: 0.05 = 5 %. */
  margin: number;
  /** Highest probability of a wrong verdict over all looks; absent = 0.01. */
  alpha?: number;
  /** Smallest relative change that is reported as slower or faster: 0.02 = 2 %; absent = 0. */
  threshold?: number;
  /** Scatter of a pair's log ratio that this machine showed earlier; absent = `assumedScatter`. */
  known?: KnownScatter;
}

const sequentialVerdicts = ['slower', 'faster', 'same', 'not-decided'] as const;
export type SequentialVerdict = (typeof sequentialVerdicts)[number];

export interface SequentialDecision extends SequentialEvidence {
  verdict: SequentialVerdict;
  /** Number of pairs added so far. */
  pairs: number;
  /** Median over the pairs of the candidate's time divided by the reference's time: above 1 is slower. A stall does not move it. */
  ratio: number;
  /**
   * Lower bound of `ratio`; `high` is the upper one. Together they contain the true ratio at all looks with probability 0.95. Null
   * while there are too few pairs for a bound.
   */
  low: number | null;
  high: number | null;
  /** Standard deviation of a pair's log ratio; null with fewer than two pairs. */
  scatter: number | null;
}

export interface SequentialTest {
  /** Adds one pair: log of the candidate's time divided by the reference's time. @throws {RangeError} if it is not finite */
  add(pairLogRatio: number): void;
  /** Returns the current verdict alone. It may be read after every pair without making the verdict less certain. */
  verdict(): SequentialVerdict;
  /** Returns the e-values of the pairs added so far, for the verdicts slower, faster and same; all 1 before the first pair. */
  evidence(): SequentialEvidence;
  /** Returns the current verdict with ratio, interval and e-values. */
  decision(): SequentialDecision;
  /**
   * Returns the number of further pairs after which a verdict is expected if further pairs are like those so far, or, if these give
   * none, like those so far with both signs (equal builds). With fewer than two pairs so far, the known scatter is used. 0 if there
   * is a verdict, null if more than `maxForecast` are expected.
   */
  furtherPairs(): number | null;
  /**
   * Returns the relative margin (0.05 = 5 %) within which equal builds would be judged "same" after `pairs` pairs in all; null with
   * fewer than two pairs so far, or if even a margin of 300 % would not be enough.
   */
  reachableMargin(pairs: number): number | null;
}

/** Highest number of further pairs that is predicted. */
const maxForecast = 200;

/**
 * Probability with which the interval of the ratio contains the true ratio after every pair at which it is looked at, all looks
 * together.
 */
const confidence = 0.95;

const defaultAlpha = 0.01;

/**
 * Returns a test of paired launches of a candidate and a reference that may be looked at after every pair. The order of the two
 * within each pair must be drawn at random (see `evidence`). "slower" and "faster" need an e-value of 2 / alpha each, so that both
 * together are wrong for equal builds with probability alpha at most, over all looks. "same" needs 1 / alpha against each end of
 * the margin.
 */
export function sequentialTest(options: SequentialOptions): SequentialTest {
  const logRatios: number[] = [];
  const pairs: ScaledPair[] = [];
  return {
    add: (logRatio) => {
      if (!Number.isFinite(logRatio)) throw new RangeError(`a log ratio must be finite, got ${logRatio}`);
      pairs.push(withScale(logRatio, logRatios, options.known));
      logRatios.push(logRatio);
    },
    verdict: () => verdictAlone(evidenceOf(pairs, options.margin), centreOf(logRatios), options),
    evidence: () => evidenceOf(pairs, options.margin),
    decision: () => decide(pairs, logRatios, options),
    furtherPairs: () => furtherPairs(logRatios, options),
    reachableMargin: (count) => reachableMargin(logRatios, count, options),
  };
}

/**
 * E-values (see evidence.ts) for the verdicts slower, faster, and same (no change beyond the margin). The higher, the more
 * evidence: in sequentialTest(), for the verdict "same" 1 / alpha is enough, for "slower" or "faster" 2 / alpha.
 */
export interface SequentialEvidence {
  slower: number;
  faster: number;
  same: number;
}

function evidenceOf(pairs: readonly ScaledPair[], relativeMargin: number): SequentialEvidence {
  const margin = Math.log1p(relativeMargin);
  const against = (logRatio: number, side: 'above' | 'below', bets = changeBets): number =>
    evidence(pairs, { logRatio, side }, bets, margin);
  return {
    slower: against(0, 'above'),
    faster: against(0, 'below'),
    same: Math.min(against(margin, 'below', sameBets), against(-margin, 'above', sameBets)),
  };
}

/** For each verdict of the sequential test, whether there is enough evidence for it; several may be true. */
export interface SequentialCertainty {
  isSlower: boolean;
  isFaster: boolean;
  isSame: boolean;
}

/**
 * Returns the verdict for which there is enough evidence, "same" before the others; a change that is certain but smaller than
 * `threshold` gives `not-decided`.
 * @param logRatio median log ratio of the pairs
 */
export function verdictOf(
  { isSlower, isFaster, isSame }: SequentialCertainty,
  logRatio: number,
  { threshold = 0 }: Pick<SequentialOptions, 'threshold'>,
): SequentialVerdict {
  if (isSame) return 'same';
  const smallest = Math.log1p(threshold);
  if (isSlower && logRatio >= smallest) return 'slower';
  if (isFaster && logRatio <= -smallest) return 'faster';
  return 'not-decided';
}

/**
 * Returns the verdict of a test that is judged alone, with the limits that `sequentialTest` names, and not together with tests of
 * other series.
 */
function verdictAlone(found: SequentialEvidence, logRatio: number, options: SequentialOptions) {
  const needed = 1 / (options.alpha ?? defaultAlpha);
  const certain = {
    isSlower: found.slower >= 2 * needed,
    isFaster: found.faster >= 2 * needed,
    isSame: found.same >= needed,
  };
  return verdictOf(certain, logRatio, options);
}

function decide(
  pairs: readonly ScaledPair[],
  logRatios: readonly number[],
  options: SequentialOptions,
): SequentialDecision {
  const found = evidenceOf(pairs, options.margin);
  const centre = centreOf(logRatios);
  const { low, high } = confidenceSequence(pairs, Math.log1p(options.margin), 1 - confidence);
  return {
    verdict: verdictAlone(found, centre, options),
    pairs: logRatios.length,
    ratio: Math.exp(centre),
    low: low === null ? null : Math.exp(low),
    high: high === null ? null : Math.exp(high),
    ...found,
    scatter: scatterOf(logRatios),
  };
}

const centreOf = (logRatios: readonly number[]): number =>
  logRatios.length === 0 ? 0 : median([...logRatios]);

function scatterOf(logRatios: readonly number[]): number | null {
  if (logRatios.length < 2) return null;
  const centre = mean([...logRatios]);
  return Math.sqrt(logRatios.reduce((sum, x) => sum + (x - centre) ** 2, 0) / (logRatios.length - 1));
}

/**
 * Returns `count` log ratios that scatter normally around `centre` with the standard deviation `sd`, in an order in which any first
 * part covers the range evenly.
 */
const normalPairs = (centre: number, sd: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => centre + sd * probit(radicalInverse(i + 1)));

/**
 * Returns `count` of the measured values, some of them repeatedly, at positions spread evenly over their sorted order (not at
 * random). So outliers and clusters keep their shares.
 */
function likeMeasured(values: readonly number[], count: number): number[] {
  const sorted = [...values].sort((a, b) => a - b);
  return Array.from(
    { length: count },
    (_, i) => sorted[Math.floor(radicalInverse(i + 1) * sorted.length)] as number,
  );
}

/** Returns the number at `index` (from 1) of Van der Corput's sequence: 1/2, 1/4, 3/4, 1/8, ... */
function radicalInverse(index: number): number {
  let [value, share] = [0, 0.5];
  for (let rest = index; rest > 0; rest >>>= 1, share /= 2) value += (rest & 1) * share;
  return value;
}

function furtherPairs(logRatios: readonly number[], options: SequentialOptions): number | null {
  const expected = (next: readonly number[]): number | null => {
    const all = withScales([...logRatios, ...next], options.known);
    const isDecided = (more: number): boolean => {
      const pairs = all.slice(0, logRatios.length + more);
      const own = centreOf(pairs.map(({ logRatio }) => logRatio));
      return verdictAlone(evidenceOf(pairs, options.margin), own, options) !== 'not-decided';
    };
    for (let more = 0; more <= maxForecast; more += more < 30 ? 1 : 5) if (isDecided(more)) return more;
    return null;
  };
  if (logRatios.length < 2) {
    const { sd } = options.known ?? assumedScatter;
    return expected(normalPairs(centreOf(logRatios), sd, maxForecast));
  }
  // If launches have two modes, a dozen pairs often have more of one sign by chance, and no verdict seems to come. Equal builds
  // scatter to both sides alike, so the same pairs with both signs are tried, too.
  const mirrored = [...logRatios, ...logRatios.map((value) => -value)];
  return expected(likeMeasured(logRatios, maxForecast)) ?? expected(likeMeasured(mirrored, maxForecast));
}

/** Largest relative margin (3 = 300 %) that is predicted; a wider margin would be of no use. */
const widestMargin = 3;

function reachableMargin(
  logRatios: readonly number[],
  pairs: number,
  options: SequentialOptions,
): number | null {
  if (logRatios.length < 2) return null;
  const middle = median([...logRatios]);
  const deviations = logRatios.map((value) => value - middle);
  // Equal builds scatter to both sides alike, so each deviation is used with both signs.
  const both = [...deviations, ...deviations.map((value) => -value)];
  const typical = withScales(likeMeasured(both, pairs), options.known);
  const isSame = (margin: number): boolean =>
    evidenceOf(typical, margin).same >= 1 / (options.alpha ?? defaultAlpha);
  let [low, high] = [0, widestMargin];
  if (!isSame(high)) return null;
  for (let i = 0; i < 14; i += 1) {
    const between = (low + high) / 2;
    if (isSame(between)) high = between;
    else low = between;
  }
  return high;
}
