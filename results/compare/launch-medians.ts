import { mean, median } from 'simple-statistics';
import { launchValuesOf, openReasonOf, sampleError } from '../derive/launches/launches.ts';
import { medianShare, type VariancePrior } from '../derive/statistics/launch-interval.ts';
import { meanPerLaunch } from '../judge/difference.ts';
import { pooledVariance } from '../judge/moderated-t.ts';
import { measuredOf, type OkCell } from '../schema/index.ts';
import type { LaunchMedians } from './judge.ts';
import { disturbanceOf, type OkPair } from './load.ts';
import type { ScatterPrior } from './options.ts';

const unsound = (cell: OkCell, whose: string, figure: string): string | null => {
  const reason = openReasonOf(measuredOf(cell, figure));
  return reason === null ? null : `${whose}: ${reason}`;
};

const logs = (cell: OkCell, name: string): number[] => {
  const figure = measuredOf(cell, name);
  return figure === null ? [] : launchValuesOf(cell, figure).map((value) => Math.log(value));
};

/**
 * Returns why one configuration cannot be tested: its time has no usable interval in one of the runs. Null if it can be tested, and
 * if a run has a single launch, for which judge() gives another reason.
 * @param figure name of the measured time
 */
function untestableReason({ base, other }: OkPair, figure: string): string | null {
  const launches = [base, other].map((cell) => measuredOf(cell, figure)?.launchValues.length ?? 0);
  if (Math.min(...launches) < 2) return null;
  return unsound(base, 'the base', figure) ?? unsound(other, 'the other run', figure);
}

/**
 * Returns the log launch medians of one configuration in both runs; without launches if either result is imported, because only one
 * value is then known.
 * @param figure name of the measured time
 * @param isJudgedAnyway true = `disturbed` of the result is null even if other processes kept a machine busy
 */
function armsOf({ base, other }: OkPair, figure: string, isJudgedAnyway: boolean): LaunchMedians {
  const isForeign = base.printed !== undefined || other.printed !== undefined;
  return {
    figure,
    base: isForeign ? [] : logs(base, figure),
    other: isForeign ? [] : logs(other, figure),
    ratio: Math.log((measuredOf(other, figure)?.value ?? 1) / (measuredOf(base, figure)?.value ?? 1)),
    prior: null,
    why: isForeign
      ? 'imported figures have no intervals: a ratio, and no verdict'
      : untestableReason({ base, other }, figure),
    floor: Math.hypot(sampleError(measuredOf(base, figure)), sampleError(measuredOf(other, figure))),
    betweenRuns: null,
    disturbed: isJudgedAnyway ? null : disturbanceOf([{ base, other }]),
  };
}

/** Lowest number of other message sizes in a size range from which one size's variance between launches is estimated. */
const minSiblings = 4;

/**
 * Returns the variance between launches that other sizes of the same range suggest: the median of their variances, because a few
 * sizes may scatter for other reasons. A launch affects all sizes alike, so these variances are not independent: together they only
 * count with the degrees of freedom of one size (tests/bench/truth.ts measures the effect).
 * @param siblings the other sizes of the size range; a size with another number of launches is ignored
 * @param degrees degrees of freedom of the size itself
 * @returns null if fewer than `minSiblings` sizes remain, if the median is 0, or if `degrees` is below 1
 */
function siblingPrior(siblings: readonly LaunchMedians[], degrees: number): LaunchMedians['prior'] {
  const known = siblings
    .map(({ base, other }) => pooledVariance(base, other))
    .filter((one) => one.degrees === degrees);
  if (degrees < 1 || known.length < minSiblings) return null;
  const variance = median(known.map((one) => one.variance / medianShare(one.degrees)));
  return variance > 0 ? { variance, degrees, from: 'siblings' } : null;
}

const learnedPrior = (prior: VariancePrior): LaunchMedians['prior'] => ({ ...prior, from: 'learned' });

/**
 * Returns the launch medians of both runs for each configuration in a size range, in the order of `pairs`, with an estimate of the
 * variance between launches: the learned one, or from the other sizes of the range. If other processes kept a machine busy,
 * `disturbed` of the result says so, and judge() gives no verdict.
 * @param pairs sizes of the range in both runs
 * @param figure name of the measured time
 * @param isJudgedAnyway true = `disturbed` is always null, so that busy machines do not prevent a verdict
 * @param all all sizes of both runs; their system load decides about `disturbed` if that of too few sizes of the range was read
 * @param learned variances from earlier runs; absent = estimated from the other sizes
 */
export function armsOfCells(
  pairs: readonly OkPair[],
  figure: string,
  isJudgedAnyway: boolean,
  all: readonly OkPair[],
  learned?: ScatterPrior,
): LaunchMedians[] {
  const whole = isJudgedAnyway ? null : disturbanceOf(pairs, all);
  const own = pairs.map((pair) => {
    const arms = armsOf(pair, figure, isJudgedAnyway);
    return { ...arms, disturbed: arms.disturbed ?? whole };
  });
  return withScatter(own, learned);
}

/**
 * Adds to each configuration an estimate of the variance between launches (`prior`; null if the other sizes are too few or do not
 * show it).
 * @param family configurations of one size range
 * @param learned variances from earlier runs; absent = estimated from the other sizes
 */
export function withScatter(family: readonly LaunchMedians[], learned?: ScatterPrior): LaunchMedians[] {
  return family.map((arms) => {
    if (learned !== undefined) return { ...arms, prior: learnedPrior(learned.cell) };
    const siblings = family.filter((one) => one !== arms);
    return { ...arms, prior: siblingPrior(siblings, arms.base.length + arms.other.length - 2) };
  });
}

/**
 * Returns the launch medians of both runs for a whole size range: for each launch the mean log time over the range's message sizes.
 * `disturbed` of the result is as for armsOfCells().
 * @param pairs sizes of the range in both runs
 * @param figure name of the measured time
 * @param isJudgedAnyway true = `disturbed` is always null, so that busy machines do not prevent a verdict
 * @param all all sizes of both runs; their system load decides about `disturbed` if that of too few sizes of the range was read
 * @param learned variances from earlier runs; absent = none
 */
export function armsOfGroup(
  pairs: readonly OkPair[],
  figure: string,
  isJudgedAnyway: boolean,
  all: readonly OkPair[],
  learned?: ScatterPrior,
): LaunchMedians {
  const mean = meanArms(
    pairs.map((pair) => armsOf(pair, figure, isJudgedAnyway)),
    learned,
  );
  return { ...mean, disturbed: isJudgedAnyway ? null : disturbanceOf(pairs, all) };
}

/**
 * Returns for each launch the mean of its log medians over the sizes. Sizes that cannot be tested are left out, unless none can. So
 * are sizes with another number of launches than most (some launches failed), because means over different sizes cannot be
 * compared. If no size has the most common number in both runs, the result has no launches.
 * @param all launch medians of the sizes of one size range, at least one
 * @param learned variances from earlier runs; absent = none
 * @throws {RangeError} if `all` is empty
 */
export function meanArms(all: readonly LaunchMedians[], learned?: ScatterPrior): LaunchMedians {
  const sound = all.filter(({ why }) => why === null);
  const family = sound.length > 0 ? sound : all;
  const [first] = family;
  if (first === undefined) throw new RangeError('a group has at least one size');
  const base = mostCommon(family.map((one) => one.base.length));
  const other = mostCommon(family.map((one) => one.other.length));
  const whole = family.filter((one) => one.base.length === base && one.other.length === other);
  const used = whole.length > 0 ? whole : family;
  const perLaunch = (side: 'base' | 'other', launches: number) =>
    meanPerLaunch(
      used.map((one) => one[side]),
      whole.length > 0 ? launches : 0,
    );
  return {
    figure: first.figure,
    base: perLaunch('base', base),
    other: perLaunch('other', other),
    ratio: mean(used.map(({ ratio }) => ratio)),
    prior: learned === undefined ? null : learnedPrior(learned.group),
    why: first.why,
    floor: Math.hypot(...used.map(({ floor }) => floor)) / used.length,
    betweenRuns: null,
    disturbed: null,
  };
}

function mostCommon(values: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0]?.[0] ?? 0;
}
