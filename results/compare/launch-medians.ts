import { mean, median } from 'simple-statistics';
import { launchValuesOf, openReasonOf, sampleError } from '../derive/launches.ts';
import { medianShare, type VariancePrior } from '../derive/statistics/launch-interval.ts';
import { meanPerLaunch } from '../judge/launches.ts';
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

/** Reason why a pair is not tested. With a single launch on a side it is null, since judge.ts then gives the reason. */
function whyOpen({ base, other }: OkPair, figure: string): string | null {
  const launches = [base, other].map((cell) => measuredOf(cell, figure)?.launchValues.length ?? 0);
  if (Math.min(...launches) < 2) return null;
  return unsound(base, 'the base', figure) ?? unsound(other, 'the other run', figure);
}

/** Launch medians of a single cell. For imported cells the lists are empty, since they have only one figure. */
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
      : whyOpen({ base, other }, figure),
    floor: Math.hypot(sampleError(measuredOf(base, figure)), sampleError(measuredOf(other, figure))),
    betweenRuns: null,
    disturbed: isJudgedAnyway ? null : disturbanceOf([{ base, other }]),
  };
}

/** Minimum number of other sizes whose scatter serves as a prior for one size. */
const fewestSiblings = 4;

/**
 * Prior of the scatter of launches from siblings: the median of their variances, since a few may scatter for other reasons.
 * Launches partly affect all siblings alike, so their variances are not independent. Together they count with
 * the degrees of freedom of one size. tests/bench/truth.ts measures how more degrees would affect the tail.
 * @param siblings the other sizes of the group
 * @param degrees degrees of freedom of the size itself
 */
function siblingPrior(siblings: readonly LaunchMedians[], degrees: number): LaunchMedians['prior'] {
  const known = siblings
    .map(({ base, other }) => pooledVariance(base, other))
    .filter((one) => one.degrees === degrees);
  if (degrees < 1 || known.length < fewestSiblings) return null;
  const variance = median(known.map((one) => one.variance / medianShare(one.degrees)));
  return variance > 0 ? { variance, degrees, from: 'siblings' } : null;
}

const learnedPrior = (prior: VariancePrior): LaunchMedians['prior'] => ({ ...prior, from: 'learned' });

/** Launch medians of all cells of one group, each with a prior of its scatter: learned, otherwise from the other sizes. */
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

/** Adds priors to the cells. @param family the cells of one group */
export function withScatter(family: readonly LaunchMedians[], learned?: ScatterPrior): LaunchMedians[] {
  return family.map((arms) => {
    if (learned !== undefined) return { ...arms, prior: learnedPrior(learned.cell) };
    const siblings = family.filter((one) => one !== arms);
    return { ...arms, prior: siblingPrior(siblings, arms.base.length + arms.other.length - 2) };
  });
}

/** Launch medians of a group as a whole: for each launch the mean over its sizes. */
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
 * Mean of launch medians over sizes. Sizes with fewer launches than most (some failed) are left out, since a mean over other
 * sizes is not comparable; so are sizes that cannot be tested.
 * @param all the cells of one group, at least one
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
