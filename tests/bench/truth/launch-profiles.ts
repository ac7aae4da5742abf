// Coverage of intervals between launches whose scatter is not uniform and normal: one size is noisier than others, or most of
// the scatter is common to all sizes. Other profiles have a machine with two states, skewed scatter, or a single size. Also
// covers runs in which the sampler chooses the number of launches.
import { median } from 'simple-statistics';
import { launchFigure } from '../../../results/derive/launches/launches.ts';
import { measuredOf } from '../../../results/schema/index.ts';
import { testPlan, testPoint } from '../../../results/testing/plan.ts';
import { noiseProfiles, simulateRun, trueMedian } from '../../../suites/testing/noise.ts';
import type { IntervalCoverage } from './coverage.ts';
import { RandomDraws, shareOf } from './random.ts';

/** Standard deviation of log launch medians of a normal size. */
const launchSd = 0.01;
const seriesSizes = 9;

/** Generator of deviations with mean 0 and variance 1. */
type DeviationShape = (draws: RandomDraws) => number;

const shapes = {
  normal: (draws) => draws.normal(),
  /** The machine has two equally frequent states; their distance is ten times the standard deviation within a state. */
  twoStates: (draws) => Math.sqrt(0.96) * (draws.uniform() < 0.5 ? -1 : 1) + 0.2 * draws.normal(),
  /** Gamma distribution of shape 4: skewness 1, slow launches are further from the mean than fast ones. */
  skewed: (draws) => ([1, 1, 1, 1].reduce((sum, mean) => sum + draws.exponential(mean), 0) - 4) / 2,
} satisfies Record<string, DeviationShape>;

export interface LaunchProfile {
  what: string;
  shape: keyof typeof shapes;
  /** Share of the variance that is common to all sizes. */
  commonShare: number;
  /** Ratio of the first size's scatter to that of other sizes. If it is not 1, only the first size is evaluated. */
  noisierBy: number;
  sizes: number;
  launches: number[];
}

const ordinary = { shape: 'normal', commonShare: 0.5, noisierBy: 1, sizes: seriesSizes } as const;

export const launchProfiles: readonly LaunchProfile[] = [
  ...[0, 0.5, 0.8, 0.9].map((commonShare) => ({
    ...{ ...ordinary, what: `${100 * commonShare} % of the scatter common`, commonShare },
    launches: [2, 3, 5],
  })),
  { ...ordinary, what: 'the noisiest size, 1.5 times the others', noisierBy: 1.5, launches: [3, 5] },
  { ...ordinary, what: 'the noisiest size, twice the others', noisierBy: 2, launches: [3, 5] },
  { ...ordinary, what: 'the noisiest size, 3 times the others', noisierBy: 3, launches: [3, 5] },
  { ...ordinary, what: 'two states', shape: 'twoStates', launches: [3, 5] },
  {
    ...ordinary,
    what: 'two states, 90 % common',
    shape: 'twoStates',
    commonShare: 0.9,
    launches: [3, 4, 5, 6],
  },
  { ...ordinary, what: 'skewed', shape: 'skewed', launches: [3, 5] },
  { ...ordinary, what: 'skewed, 90 % common', shape: 'skewed', commonShare: 0.9, launches: [3, 5] },
  { ...ordinary, what: 'one size alone', sizes: 1, launches: [4, 5, 6] },
  {
    ...{ ...ordinary, what: 'one size alone, two states', shape: 'twoStates', commonShare: 0, sizes: 1 },
    launches: [4, 5, 6],
  },
  { ...ordinary, what: 'one size alone, skewed', shape: 'skewed', sizes: 1, launches: [4, 5, 6] },
];

/** Log launch medians: [size][launch]. */
function drawTable(
  { shape, commonShare, noisierBy, sizes }: LaunchProfile,
  launches: number,
  draws: RandomDraws,
) {
  const draw = shapes[shape];
  const common = Array.from({ length: launches }, () => draw(draws));
  return Array.from({ length: sizes }, (_, size) =>
    common.map((z) => {
      const deviation = Math.sqrt(commonShare) * z + Math.sqrt(1 - commonShare) * draw(draws);
      return launchSd * (size === 0 ? noisierBy : 1) * deviation;
    }),
  );
}

/**
 * Share of cases whose launches show both states. If all launches are in the same state at all sizes, nothing shows the other
 * state.
 */
function shownShareOf(
  { shape, commonShare, sizes }: LaunchProfile,
  launches: number,
): Pick<IntervalCoverage, 'shownShare'> {
  const isOneState = shape === 'twoStates' && (sizes === 1 || commonShare >= 0.9);
  return isOneState ? { shownShare: 1 - 2 * 0.5 ** launches } : {};
}

/** Coverage of one profile. A table of launches and sizes counts as one case, because its sizes share the launches. */
export function coverageOfProfile(
  profile: LaunchProfile,
  launches: number,
  repetitions: number,
): IntervalCoverage {
  const draws = new RandomDraws(20261128 + launches);
  const widths: number[] = [];
  let hits = 0;
  let given = 0;
  for (let i = 0; i < repetitions; i += 1) {
    const table = drawTable(profile, launches, draws).map((logs) =>
      logs.map((log) => 10_000 * Math.exp(log)),
    );
    const counted = profile.noisierBy === 1 ? table : table.slice(0, 1);
    for (const own of counted) {
      const others = table.filter((medians) => medians !== own);
      const { interval } = launchFigure(own, others, null);
      if (interval === null) continue;
      given += 1 / counted.length;
      if (interval.low <= 10_000 && 10_000 <= interval.high) hits += 1 / counted.length;
      widths.push(Math.log(interval.high / interval.low) / 2);
    }
  }
  const cases = Math.round(given);
  return {
    what: `${profile.what}, ${launches} launches`,
    covered: shareOf((hits / given) * cases, cases),
    halfWidth: median(widths),
    ...shownShareOf(profile, launches),
  };
}

export const simulateLaunchProfiles = (repetitions: number): IntervalCoverage[] =>
  launchProfiles.flatMap((profile) =>
    profile.launches.map((launches) => coverageOfProfile(profile, launches, repetitions)),
  );

const precision = 0.02;
const maxLaunches = 6;
/** Nanoseconds of one operation; blocks then have few samples, so a simulated run is quick. */
const operationNs = 2_000_000;

/**
 * Coverage of cells in runs with up to six launches, chosen by the sampler.
 * @param timesPrecision standard deviation between launches, as a multiple of the target precision
 * @returns coverage of all cells, and of cells that became precise with fewer launches; null = there were none
 */
export function simulateLaunchesAdded(
  sizes: number,
  timesPrecision: number,
  cells: number,
): { all: IntervalCoverage; early: IntervalCoverage | null } {
  const { sampling } = testPlan();
  const launches = sizes < 5 ? 4 : 3;
  // A single size needs a size of another range beside it, so that its launches are apart in time.
  const counts = sizes === 1 ? [64, 2 ** 18] : Array.from({ length: sizes }, (_, size) => 64 * (size + 1));
  const plan = testPlan({
    points: counts.map((count) => testPoint({ count })),
    sampling: {
      ...{ ...sampling, launches, apart: true },
      adaptive: { precision, budgetS: 1e4, maxLaunches },
    },
  });
  const truth = operationNs * trueMedian(noiseProfiles.quiet);
  const all = { given: 0, hits: 0, widths: [] as number[] };
  const early = { given: 0, hits: 0, widths: [] as number[] };
  for (let seed = 1; all.given < cells; seed += 1) {
    const run = simulateRun(plan, {
      ...{ profile: noiseProfiles.quiet, betweenLaunches: timesPrecision * precision },
      ...{ operationNs: () => operationNs, overheadS: 0.005, seed: 7919 * seed },
    });
    for (const cell of run.cells) {
      const figure = cell.status === 'ok' ? measuredOf(cell, 'latency') : null;
      if (figure?.interval == null) continue;
      const { low, high } = figure.interval;
      const isEarly = figure.stopped === 'precise' && figure.launches < maxLaunches;
      for (const count of isEarly ? [all, early] : [all]) {
        count.given += 1;
        if (low <= truth && truth <= high) count.hits += 1;
        count.widths.push((high - low) / 2 / figure.value);
      }
    }
  }
  const what = `${sizes === 1 ? 'one size alone' : `${sizes} sizes`}, launches differ by ${timesPrecision} times the precision`;
  const rowOf = (name: string, { given, hits, widths }: typeof all): IntervalCoverage => ({
    what: `${what}${name}`,
    covered: shareOf(hits, given),
    halfWidth: median(widths),
  });
  return {
    all: rowOf('', all),
    early: early.given === 0 ? null : rowOf(', ended early as precise', early),
  };
}

export const simulateAddedLaunches = (cells: number): IntervalCoverage[] =>
  [1, seriesSizes].flatMap((sizes) =>
    [0.5, 1, 1.5].flatMap((times) => {
      const { all, early } = simulateLaunchesAdded(sizes, times, cells);
      return early === null ? [all] : [all, early];
    }),
  );
