import { mean } from 'simple-statistics';
import { studentQuantile } from '../derive/statistics/student.ts';
import { minimumDetectableEffect } from '../judge/detectable.ts';
import { areOfOneNight, showNights } from '../judge/nights.ts';
import type {
  CalibratedGroup,
  Calibration,
  ComparisonChange,
  GroupChange,
  PairOfRuns,
  RunPlan,
  RunRecord,
} from '../schema/index.ts';
import { plural } from '../units.ts';
import { type ComparableRun, compareRuns } from './compare-runs.ts';
import { type CompareOptions, usualOptions } from './options.ts';

type CalibrationOptions = Pick<
  CompareOptions,
  'groupThreshold' | 'cellThreshold' | 'falseDiscovery' | 'allow'
>;

/**
 * Compares runs between which nothing changed, as if the two runs of each pair were of different builds. Every reported change is
 * thus a false alarm, also of size ranges that other processes disturbed. The scatter of the z-scores (`zSd`, only of undisturbed
 * size ranges) shows whether launches of one run differ as much as launches of different runs.
 * @param pairs pairs of runs of the same plan, one at least
 * @param options those that differ from `usualOptions`
 */
export function calibrate(
  pairs: readonly (readonly [ComparableRun, ComparableRun])[],
  options: Partial<CalibrationOptions> = {},
): Calibration {
  const rules = { ...usualOptions, ...options };
  const anyway = { ...rules, allow: [...rules.allow, 'disturbed' as const] };
  const compared = pairs.map((pair) => compareRuns(pair, anyway).pairs[0] as PairOfRuns);
  const groups = countOf(compared.flatMap((pair) => pair.groups));
  const cells = countOf(compared.flatMap((pair) => pair.cells));
  // Comparisons that other processes disturbed get no verdict, so the scatter is not estimated from them either.
  const undisturbed = pairs.map((pair) => compareRuns(pair, rules).pairs[0] as PairOfRuns);
  const z = undisturbed.flatMap((pair) => pair.groups.flatMap(({ change }) => zOf(change) ?? []));
  const disturbed = undisturbed.flatMap(({ groups: all }) =>
    all.filter(({ change }) => change.doubt === 'busy'),
  ).length;
  const keys = [...new Set(compared.flatMap((pair) => pair.groups.map(({ key }) => key)))];
  const launches = Math.max(
    0,
    ...compared.flatMap((pair) => pair.groups.map(({ change }) => change.launches[0])),
  );
  const found: CalibrationResult = {
    schemaVersion: 2,
    runs: pairs.map(([a, b]): [string, string] => [a.record.id, b.record.id]),
    launches,
    groups,
    cells,
    pairsWithAlarm: compared.filter((pair) => [...pair.groups, ...pair.cells].some(isAlarm)).length,
    zSd: sdOf(z),
    byGroup: keys.map((key) => groupOf(key, compared, rules)),
  };
  return { ...found, sentences: sentencesOf(found, disturbed) };
}

const isAlarm = ({ change }: { change: ComparisonChange }): boolean =>
  change.verdict === 'faster' || change.verdict === 'slower';

function countOf(found: readonly { change: ComparisonChange }[]): Calibration['groups'] {
  const tested = found.filter(({ change }) => change.p !== null);
  return { tests: tested.length, alarms: tested.filter(isAlarm).length };
}

/** Largest absolute z-score that is returned, because p-values below 1e-14 are not exact in double precision. */
const largestZ = 8;

/**
 * Returns the z-score: the value of the normal distribution with the same p-value, with the sign of the log ratio and at most
 * `largestZ` in size. Unlike t values, z-scores of tests with different degrees of freedom can be compared. Null if there is no
 * p-value.
 */
function zOf({ p, ratio }: ComparisonChange): number | null {
  if (p === null) return null;
  const size = p < 1e-14 ? largestZ : studentQuantile(1 - p / 2, 1e6);
  return Math.sign(Math.log(ratio)) * size;
}

const minForSd = 4;

/**
 * Returns the standard deviation s of the z-scores around their true mean 0, with its 95 % interval, for which log s is taken as
 * normally distributed with the standard error 1 / sqrt(2n). `of` is n, the number of z-scores. Null with fewer than 4.
 */
function sdOf(z: readonly number[]): Calibration['zSd'] {
  if (z.length < minForSd) return null;
  const value = Math.sqrt(mean(z.map((one) => one * one)));
  const reach = Math.exp(1.959964 / Math.sqrt(2 * z.length));
  return { value, low: value / reach, high: value * reach, of: z.length };
}

function groupOf(key: string, compared: readonly PairOfRuns[], rules: CompareOptions): CalibratedGroup {
  const own = compared.flatMap((pair) => pair.groups.filter((group) => group.key === key));
  const cells = compared.flatMap((pair) => pair.cells.filter((cell) => cell.group === key));
  const first = own[0] as GroupChange;
  const pooled = (found: readonly { change: ComparisonChange }[]): number | null => {
    const known = found.flatMap(({ change }) => (change.scatter === null ? [] : [change.scatter ** 2]));
    return known.length === 0 ? null : mean(known);
  };
  const variance = pooled(own);
  const degrees = own.reduce((sum, { change }) => sum + change.launches[0] + change.launches[1] - 2, 0);
  const { title, regime, xs, change } = first;
  const tests = Math.max(1, ...compared.map((pair) => pair.groups.length));
  const detectable =
    variance === null
      ? null
      : minimumDetectableEffect({
          variance,
          degrees,
          launches: change.launches,
          alpha: rules.falseDiscovery / tests,
          floor: Math.log1p(rules.groupThreshold),
        });
  const cellVariance = pooled(cells);
  return {
    ...{ key, title, regime, xs },
    ...countOf(own),
    scatter: variance === null ? null : Math.sqrt(variance),
    cellScatter: cellVariance === null ? null : Math.sqrt(cellVariance),
    detectable,
  };
}

/**
 * Returns the options for comparing runs that were measured one after the other, and so differ by more than their launches. How
 * much runs differ is estimated from `history` (run-scatter.ts); only if that has too few runs does `runScatterFrom` apply:
 * - `aa`, if `zSd` is known and launches of a configuration lie apart in time in all runs. `scatterFactor`, by which standard
 * errors between launches are multiplied, is then `zSd`, or 1 up to a `zSd` of 1.2.
 * - `transport` otherwise: a scatter between runs is assumed by transport. `scatterFactor` is 2 if launches are close in time,
 * because such launches predict another run less well (their z-scores scattered by 1.8 to 2.1), else 1.
 *
 * At most 1 % of the reported changes are false alarms, because such a comparison is made after every run. For "same" it is also
 * enough that the interval is within 10 % and contains "no change", because intervals are seldom within 2 %.
 * @param zSd scatter of z-scores from `collbench aa`; null = not known
 * @param runs the runs to compare
 * @param history earlier runs on the same hosts; if the compared runs are of several nights, one run of each night. With too few
 * nights the assumed scatter is a lower bound.
 */
export function separateRuns(
  zSd: Calibration['zSd'],
  runs: readonly SampledPlan[],
  history: readonly ComparableRun[] = [],
): RunSplit {
  const hasFewNights = !areOfOneNight(runs) && !showNights(history.map(({ record }) => record));
  const same = { history, hasFewNights, groupSame: 0.1, cellSame: 0.1, falseDiscovery: 0.01 };
  const areApart = runs.every(({ plan }) => plan.sampling.apart === true && plan.points.length >= minPoints);
  if (zSd !== null && areApart) {
    const scatterFactor = zSd.value <= largestZSd ? 1 : zSd.value;
    return { ...same, scatterFactor, runScatterFrom: 'aa' };
  }
  return { ...same, scatterFactor: areApart ? 1 : 2, runScatterFrom: 'transport' };
}

/**
 * Lowest number of points of a plan (operations and sizes, whatever the transports) with which launches of a run count as
 * independent. With fewer, two launches of one point follow each other so closely that they differ less than launches of separate
 * runs.
 */
const minPoints = 4;

interface SampledPlan extends Pick<RunRecord, 'startedAt'> {
  plan: Pick<RunPlan, 'sampling' | 'points'>;
}
type RunSplit = Pick<
  CompareOptions,
  | 'scatterFactor'
  | 'runScatterFrom'
  | 'history'
  | 'hasFewNights'
  | 'groupSame'
  | 'cellSame'
  | 'falseDiscovery'
>;

/**
 * Highest standard deviation of z-scores at which launches of one run count as differing as much as launches of different runs.
 * Where they do, it is about 1.
 */
const largestZSd = 1.2;

type CalibrationResult = Omit<Calibration, 'sentences'>;

function sentencesOf(
  { runs, groups, cells, pairsWithAlarm, zSd }: CalibrationResult,
  disturbed: number,
): string[] {
  const pairs = `${runs.length} ${runs.length === 1 ? 'pair' : 'pairs'} of equal runs`;
  if (groups.tests === 0) {
    return [`${pairs}: nothing could be tested, because a run needs two launches at least (--launches 5).`];
  }
  const lead = `${pairs}: ${groups.alarms} of ${groups.tests} size ranges and ${cells.alarms} of ${cells.tests} sizes were called changed, in ${pairsWithAlarm} of ${runs.length}.`;
  const beside =
    disturbed === 0
      ? []
      : [
          `Other processes disturbed ${plural(disturbed, 'size range')} of these: they get no verdict, and nothing is learned from them.`,
        ];
  return [lead, ...beside, ...scatterSentences(zSd)];
}

function scatterSentences(zSd: Calibration['zSd']): string[] {
  if (zSd === null)
    return ['Use more pairs (--rounds) to see whether the rate of false alarms is as expected.'];
  const figures = `z-scores scatter by ${zSd.value.toFixed(2)} (${zSd.low.toFixed(2)} to ${zSd.high.toFixed(2)})`;
  if (zSd.low > largestZSd) {
    return [
      `${figures}; 1 is expected: launches of one run differ less than those of two runs, so differences look ${zSd.value.toFixed(2)}x more certain than they are. collbench compare corrects for this on this machine. A reference build (collbench suite --anchor) avoids it.`,
    ];
  }
  const open = zSd.high > largestZSd ? '; more pairs (--rounds) would be more precise' : '';
  return [`${figures}; 1 is expected: launches of one run represent those of another${open}.`];
}
