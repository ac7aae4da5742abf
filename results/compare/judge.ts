import type { VariancePrior } from '../derive/launches.ts';
import {
  againstRun,
  type Difference,
  decideAll,
  fewestLaunches,
  intervalAround,
  type Rule,
  sideOf,
} from '../judge/index.ts';
import type { Change } from '../schema/index.ts';

/** Log launch medians of both runs, and what else is known of their scatter. */
export interface Arms {
  figure: string;
  base: readonly number[];
  other: readonly number[];
  /** Log ratio of the medians: all there is where launches are not known. */
  ratio: number;
  prior: (VariancePrior & { from: 'siblings' | 'learned' }) | null;
  /** Why no launches are known, where it is not that they are few. */
  why: string | null;
}

/**
 * A verdict on each of a family of things that were tested together.
 * faster, slower: a change (judge/decide.ts); same: the whole 95 % interval within the threshold (that a change was not found
 * does not make it the same); else not enough data.
 */
export function judge(family: readonly Arms[], rule: Rule): Change[] {
  const { threshold } = rule;
  const limit = Math.log1p(threshold);
  const tests = family.map(({ base, other, prior }) => againstRun(sideOf(base), sideOf(other), prior));
  return decideAll(tests, rule).map((found, i): Change => {
    const { figure, base, other, prior, ratio, why } = family[i] as Arms;
    const launches: [number, number] = [base.length, other.length];
    const shared = { figure, launches, threshold };
    if (found === null) {
      return { ...shared, ...untested, ratio: Math.exp(ratio), reason: why ?? tooFewLaunches(launches) };
    }
    const { difference, low, high, degrees, p } = found.difference;
    const isSame = low >= -limit && high <= limit;
    const verdict = found.change ?? (isSame ? 'same' : 'not-enough-data');
    return {
      ...shared,
      ratio: Math.exp(difference),
      low: Math.exp(low),
      high: Math.exp(high),
      p,
      adjustedP: found.adjustedP,
      scatterFrom: prior?.from ?? 'welch',
      scatter: Math.sqrt(found.variance),
      degrees,
      detectable: found.detectable,
      launchesWanted: verdict === 'not-enough-data' ? launchesWanted(found.variance, limit, prior) : null,
      verdict,
      reason: verdict === 'not-enough-data' ? openReason(found.difference, limit) : null,
    };
  });
}

const untested = {
  low: null,
  high: null,
  p: null,
  adjustedP: null,
  scatterFrom: null,
  scatter: null,
  degrees: null,
  detectable: null,
  launchesWanted: null,
  verdict: 'not-enough-data',
} as const;

function tooFewLaunches([base, other]: readonly [number, number]): string {
  const few = [
    ...(base < 2 ? [`the base has ${base}`] : []),
    ...(other < 2 ? [`the other run has ${other}`] : []),
  ];
  return `how starts differ is known from two launches on, and ${few.join(' and ')}`;
}

function openReason({ low, high, difference }: Difference, limit: number): string {
  if (low > 0 || high < 0) {
    return Math.abs(difference) >= limit
      ? 'a change is likely, and not certain enough among so many tests'
      : 'they differ, and it is open whether by more than the threshold';
  }
  return 'the interval reaches beyond the threshold';
}

/** Fewest launches of each run whose 95 % interval, around no change, lies within the limit. */
const launchesWanted = (variance: number, limit: number, prior: VariancePrior | null): number | null =>
  fewestLaunches((r) => {
    const { high } = intervalAround(0, Math.sqrt((2 * variance) / r), 2 * r - 2 + (prior?.degrees ?? 0));
    return high <= limit;
  });
