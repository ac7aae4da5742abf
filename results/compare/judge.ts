import type { VariancePrior } from '../derive/statistics/launch-interval.ts';
import { studentQuantile } from '../derive/statistics/student.ts';
import { minLaunchesFor } from '../judge/detectable.ts';
import { type Difference, differenceOf, isLarge, observedRange, welchT } from '../judge/difference.ts';
import { type FamilyFinding, type JudgeRule, judgeFamily } from '../judge/family.ts';
import { moderatedT } from '../judge/moderated-t.ts';
import { withNights } from '../judge/nights.ts';
import type { ChangeVerdict, ComparisonChange } from '../schema/index.ts';
import { percentText } from '../units.ts';
import { type CompareOptions, usualOptions } from './options.ts';
import type { RunScatter } from './run-scatter.ts';

/**
 * Log of the median time of each launch, in both compared runs, for one message size; for a size range the mean of these logs over
 * its sizes. The data of one test.
 */
export interface LaunchMedians {
  figure: string;
  base: readonly number[];
  other: readonly number[];
  /**
   * Log of the other run's time divided by the base run's; for a size range the mean over its sizes. Imported results have only
   * this, and no single launches.
   */
  ratio: number;
  /**
   * Variance of log time between launches, estimated from the other sizes of the range (`siblings`) or `learned` from earlier runs;
   * null if neither is known.
   */
  prior: (VariancePrior & { from: 'siblings' | 'learned' }) | null;
  /**
   * Reason why this change is not tested, such as no interval. Null if it is tested, or if only `disturbed` or missing launches
   * prevent a test.
   */
  why: string | null;
  /** Lower bound of the standard error of the difference in log time; it follows from the scatter of samples within launches. */
  floor: number;
  /** Variation between whole runs of the same program; null if launches of both runs were measured alternately. */
  betweenRuns: RunScatter | null;
  /**
   * Text about the load by other processes ("other processes used 0.4, then 0.9 cores", or names of flags); the change is then not
   * tested. Null if they did not take enough to disturb, or if the user wants a verdict nevertheless.
   */
  disturbed: string | null;
}

export interface CompareRule extends JudgeRule {
  /** Second, wider limit for the verdict "same", as a relative change (CompareOptions.groupSame); absent = none. */
  same?: number;
  /**
   * True if the rule judges single sizes. There are many of them, so a large change of one size is reported as unconfirmed only if
   * all launches of one run are slower than all launches of the other.
   */
  isSingle?: boolean;
}

/**
 * Judges changes that are tested together. faster, slower: the change is significant after Benjamini & Hochberg, and larger than
 * the threshold. same: the whole 95 % interval is within the threshold, or it is within `same` and contains "no change"; that no
 * change was detected is not enough. Otherwise, and if there is no test: unconfirmed if the measured change is large (of single
 * sizes see `isSingle`), else not-enough-data. The ratio is always part of the result; results are in the order of `family`.
 * @param scatterFactor factor on the standard errors between launches
 */
export function judge(
  family: readonly LaunchMedians[],
  rule: CompareRule,
  { scatterFactor }: Pick<CompareOptions, 'scatterFactor'> = usualOptions,
): ComparisonChange[] {
  const tests = family.map((arms) => ({
    difference: testOf(arms, scatterFactor),
    launches: [arms.base.length, arms.other.length] as [number, number],
  }));
  const findings = judgeFamily(tests, rule);
  return family.map((arms, i): ComparisonChange => {
    const { figure, prior, why, ratio } = arms;
    const launches: [number, number] = [arms.base.length, arms.other.length];
    const observed = observedRange(arms.base, arms.other, findings[i]?.difference ?? ratio);
    const shared = { figure, launches, observed, threshold: rule.threshold };
    const isAlike = rule.isSingle === true && observed[0] <= 1 && observed[1] >= 1;
    const openVerdict = (of: number): ChangeVerdict =>
      isLarge(of) && !isAlike ? 'unconfirmed' : 'not-enough-data';
    const found = findings[i] ?? null;
    if (found === null) {
      const open = { ...shared, ...untested, ratio: Math.exp(ratio), verdict: openVerdict(Math.exp(ratio)) };
      if (arms.disturbed !== null)
        return { ...open, doubt: 'busy', reason: `machine busy (${arms.disturbed})` };
      if (why !== null) return { ...open, doubt: 'no-interval', reason: why };
      return { ...open, doubt: 'few-launches', reason: tooFewLaunches(launches) };
    }
    const { difference, low, high, p, adjustedP, variance, degrees, detectable } = found;
    const limit = Math.log1p(Math.max(rule.threshold, rule.same ?? 0));
    const verdict = found.change ?? (isSame(found, rule) ? 'same' : openVerdict(Math.exp(difference)));
    const isOpen = verdict === 'unconfirmed' || verdict === 'not-enough-data';
    return {
      ...shared,
      ratio: Math.exp(difference),
      low: Math.exp(low),
      high: Math.exp(high),
      p,
      adjustedP,
      scatterFrom: prior?.from ?? 'welch',
      scatter: Math.sqrt(variance),
      degrees,
      detectable,
      ...betweenRunsOf(arms),
      launchesWanted: isOpen ? launchesWanted(variance, limit, arms, scatterFactor) : null,
      verdict,
      doubt: isOpen ? 'scatter' : null,
      reason: isOpen ? openReason(found, limit, Math.log1p(rule.threshold)) : null,
    };
  });
}

/**
 * Returns the difference between whole runs as the result file stores it: without `launchVariance`. An empty object if launches of
 * both runs were measured alternately.
 */
function betweenRunsOf({ betweenRuns }: LaunchMedians): Pick<ComparisonChange, 'betweenRuns'> {
  if (betweenRuns === null) return {};
  const { launchVariance: _launchVariance, ...shown } = betweenRuns;
  return { betweenRuns: shown };
}

/**
 * True if nothing has changed: the 95 % interval of the change is within +-`threshold`, or it is within the wider +-`same` and
 * contains 0.
 */
function isSame({ low, high }: FamilyFinding, { threshold, same = 0 }: CompareRule): boolean {
  const isWithin = (limit: number): boolean => low >= -Math.log1p(limit) && high <= Math.log1p(limit);
  return isWithin(threshold) || (isWithin(same) && low <= 0 && high >= 0);
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
} as const;

/**
 * Tests one difference. Returns null with fewer than two launches of either run, because that run's scatter is then unknown, and if
 * the first argument has a reason not to test (`why`, `disturbed`). The interval comes from the launches and from how whole runs differ, but is
 * at least as wide as the scatter of samples requires (results/derive/statistics/figure-interval.ts).
 * @param scatterFactor factor on the standard errors between launches
 */
function testOf(
  { base, other, prior, why, floor, disturbed, betweenRuns }: LaunchMedians,
  scatterFactor: number,
): Difference | null {
  if (base.length < 2 || other.length < 2 || why !== null || disturbed !== null) return null;
  const found = prior === null ? welchT(base, other) : moderatedT(base, other, prior);
  // The scatter of earlier runs already includes all differences between runs, so launches need no factor.
  const factor = betweenRuns?.from === 'history' ? 1 : scatterFactor;
  const byLaunches = Math.max(floor, factor * found.standardError);
  if (betweenRuns === null || betweenRuns.sd === 0)
    return byLaunches === found.standardError
      ? found
      : differenceOf(found.difference, byLaunches, found.degrees);
  // The scatter of earlier runs includes the part that their launches cause, so this part is subtracted.
  const beyond = Math.max(0, byLaunches ** 2 - 2 * betweenRuns.launchVariance);
  const total = withNights(
    { variance: beyond, degrees: found.degrees },
    { variance: betweenRuns.sd ** 2, degrees: betweenRuns.degrees ?? Infinity },
  );
  return differenceOf(found.difference, Math.sqrt(total.variance), total.degrees);
}

function tooFewLaunches([base, other]: readonly [number, number]): string {
  const few = [
    ...(base < 2 ? [`the base has ${base}`] : []),
    ...(other < 2 ? [`the other run has ${other}`] : []),
  ];
  return `scatter between launches needs two launches, but ${few.join(' and ')}`;
}

function openReason({ low, high, difference }: FamilyFinding, limit: number, threshold: number): string {
  if (low > 0 || high < 0) {
    return Math.abs(difference) >= threshold
      ? 'a change is likely, but not certain enough among so many tests'
      : 'they differ, but possibly by less than the threshold';
  }
  return `the interval reaches beyond ${percentText(Math.expm1(limit))}`;
}

/**
 * Returns how many launches each run needs until the 95 % interval of an unchanged time is within +-`limit`; null if more than 100.
 * @param variance variance of one launch's log median time
 * @param limit log of a ratio of times
 * @param scatterFactor factor on the standard errors between launches
 */
function launchesWanted(
  variance: number,
  limit: number,
  { prior, betweenRuns }: LaunchMedians,
  scatterFactor: number,
): number | null {
  return minLaunchesFor((r) => {
    const runs = Math.SQRT2 * (betweenRuns?.sd ?? 0);
    const standardError = Math.hypot(scatterFactor * Math.sqrt((2 * variance) / r), runs);
    return studentQuantile(0.975, 2 * r - 2 + (prior?.degrees ?? 0)) * standardError <= limit;
  });
}
