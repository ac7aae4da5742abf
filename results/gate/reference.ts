import { usableScatter } from '../baseline/scatter.ts';
import { addTo } from '../collections.ts';
import { type ComparableRun, compareRuns } from '../compare/compare-runs.ts';
import type { ScatterPrior } from '../compare/options.ts';
import { minRuns, runScatterOf } from '../compare/run-scatter.ts';
import { groupOf } from '../derive/cells/cell-group.ts';
import type { VariancePrior } from '../derive/statistics/launch-interval.ts';
import { nightScatter } from '../judge/nights.ts';
import type { Baseline, Calibration, ComparisonChange, GateResult, OkCell } from '../schema/index.ts';
import { formatPercent, percentRange, plural } from '../units.ts';
import type { EntryComparison, NightScatter } from './decide.ts';
import type { EarlierRuns } from './earlier-runs.ts';
import { sequenceAlpha } from './pairs.ts';

/** Sources of the reference for a build: a reference build measured in the same night (anchor), or stored results (baseline). */
export interface GateSource {
  /** Stored results with which the suite is compared; null if there are none. */
  baseline: Baseline | null;
  /**
   * True if the suite also measures a reference build, alternately with the build under test; the reference build is then used
   * instead of the baseline.
   */
  hasAnchor: boolean;
}

const learnedOf = ({ baseline }: GateSource, tonight: ComparableRun, entry: string) =>
  usableScatter(baseline?.learned?.groups.filter((group) => group.entry === entry) ?? [], tonight);

/**
 * Facts about how much nights differ: earlier runs of the entry, and the z-scores that `collbench aa` found by comparing equal
 * runs.
 */
export interface KnownNights extends EarlierRuns {
  /** Standard deviation of the z-scores between equal runs on these hosts; null = not measured. */
  zSd: Calibration['zSd'];
}

const unknownNights: KnownNights = { runs: [], areNights: false, zSd: null };

/**
 * Compares one suite entry of the build under test with its reference: the run of the reference build if `source.hasAnchor`,
 * otherwise the results in the baseline. The baseline never replaces a missing run of the reference build.
 * @param anchor run of the reference build; undefined if there is none. It is not used unless `source.hasAnchor`
 * @param known earlier runs that show how much nights differ; absent = none, then a learned or assumed scatter is used. It has no
 * effect if `source.hasAnchor`, because both builds were then measured in one night
 * @returns null if the entry has no such reference
 */
export function compareEntry(
  source: GateSource,
  entry: string,
  tonight: ComparableRun,
  anchor: ComparableRun | undefined,
  known: KnownNights = unknownNights,
): EntryComparison | null {
  const reference = source.hasAnchor ? anchor : baselineEntry(source, entry);
  if (reference === undefined) return null;
  const learned = new Map(learnedOf(source, tonight, entry).used.map((group) => [group.key, group]));
  const scatter = Object.fromEntries(
    [...learned].map(([key, { cell, group }]): [string, ScatterPrior] => [key, { cell, group }]),
  );
  const [pair] = compareRuns([reference, tonight], {
    learned: scatter,
    // Launches of an anchor alternate with those of the candidate, so load affects both equally.
    allow: source.hasAnchor ? ['disturbed'] : [],
  }).pairs;
  if (pair === undefined) return null;
  if (source.hasAnchor) return { entry, pair, night: null };
  const cells = new Map<string, OkCell[]>();
  for (const cell of tonight.cells) {
    if (cell.status !== 'ok') continue;
    addTo(cells, groupOf(cell).key, cell);
    addTo(cells, cell.id, cell);
  }
  const changes = new Map([
    ...pair.groups.map(({ key, change }) => [key, change] as const),
    ...pair.cells.map(({ id, change }) => [id, change] as const),
  ]);
  return {
    entry,
    pair,
    night: (group, id = group) => {
      const prior = learned.get(group)?.night ?? null;
      const figure = changes.get(group)?.figure ?? '';
      return nightsOf(cells.get(id) ?? [], { figure, learned: prior, change: changes.get(id) }, known);
    },
  };
}

interface NightFacts {
  figure: string;
  learned: VariancePrior | null;
  /** The change of time whose scatter between nights is to be found; undefined if the two sides have no configuration in common. */
  change: ComparisonChange | undefined;
}

/**
 * Returns the variance between nights in addition to that between launches, and its source. Earlier runs are used if there are
 * enough and nothing was learned. They also replace a learned value if they are of different nights and have at least as many
 * degrees of freedom. Otherwise the learned value is used. If there is none, the larger of two variances counts: the one that
 * `collbench aa` showed, and the one that is assumed for the transport. Nights differ at least as much as runs within one hour.
 * @param alike results of the build under test: one, or all of a size range
 */
function nightsOf(
  alike: readonly OkCell[],
  { figure, learned, change }: NightFacts,
  { runs, areNights, zSd }: KnownNights,
): NightScatter {
  const [first, ...others] = alike;
  const transport = first?.transport ?? null;
  const shown =
    first === undefined
      ? null
      : runScatterOf([first, ...others], figure, { history: runs, hasFewNights: !areNights });
  const isMore = learned === null || (areNights && (shown?.degrees ?? 0) >= learned.degrees);
  if (shown?.from === 'history' && isMore) {
    const variance = Math.max(0, shown.sd ** 2 - shown.launchVariance);
    return { variance, degrees: shown.degrees ?? Infinity, from: 'history', runs: shown.runs };
  }
  const usual = nightScatter(learned, transport);
  if (learned !== null) return { ...usual, from: 'learned', runs: 0 };
  const calibrated = calibratedScatter(zSd, change);
  return calibrated !== null && calibrated.variance > usual.variance
    ? { ...calibrated, from: 'aa', runs: 0 }
    : { ...usual, from: 'transport', runs: 0 };
}

/**
 * Returns the variance between runs, beyond that between launches, that the z-scores of equal runs in `collbench aa` show; null if
 * it is not known.
 */
function calibratedScatter(
  zSd: KnownNights['zSd'],
  change: ComparisonChange | undefined,
): VariancePrior | null {
  if (zSd === null || change === undefined || change.scatter === null) return null;
  const [reference, tonight] = change.launches;
  const ofLaunches = change.scatter ** 2 * (1 / reference + 1 / tonight);
  return { variance: (Math.max(0, zSd.value ** 2 - 1) * ofLaunches) / 2, degrees: zSd.of };
}

/**
 * Returns the lowest and highest standard deviation between nights as text: "3 to 4 %".
 * @param scatters at least one
 */
function scatterRangeText(scatters: readonly NightScatter[]): string {
  const sds = scatters.map(({ variance }) => Math.sqrt(variance));
  return percentRange(Math.min(...sds), Math.max(...sds));
}

/**
 * Returns a sentence on how much nights differ, according to earlier runs, learned values, `collbench aa` or assumptions; "" if the
 * comparison uses no scatter between nights.
 * @param nights number of runs from which the baseline's variances were learned; `unused`: text about learned variances that do not
 * apply, or ""; `isCalibrated`: true if `collbench aa` measured equal runs on these hosts
 */
function nightsText(
  compared: readonly EntryComparison[],
  { nights, unused, isCalibrated }: { nights: number; unused: string; isCalibrated: boolean },
): string {
  const all = compared.flatMap(({ pair, night }) =>
    night === null ? [] : pair.groups.map(({ key }) => night(key)),
  );
  const of = (source: NightScatter['from']) => all.filter(({ from }) => from === source);
  const [shown, learned, calibrated, assumed] = [of('history'), of('learned'), of('aa'), of('transport')];
  const counts = shown.map(({ runs }) => runs);
  const [fewest, most] = [Math.min(...counts), Math.max(...counts)];
  const count = `${fewest === most ? '' : `${fewest} to `}${plural(most, 'earlier run')}`;
  return [
    ...(shown.length === 0 ? [] : [`${count} on these hosts differ by ${scatterRangeText(shown)}`]),
    ...(learned.length === 0
      ? []
      : [`scatter between nights learned from ${plural(nights, 'run')}${unused}`]),
    ...(calibrated.length === 0
      ? []
      : [`equal runs of collbench aa on these hosts differ by ${scatterRangeText(calibrated)}`]),
    ...(assumed.length === 0
      ? []
      : [
          `${scatterRangeText(assumed)} between nights is assumed by transport (fewer than ${minRuns} earlier nights known; ${isCalibrated ? 'collbench aa showed less' : 'collbench aa was not run'})`,
        ]),
  ].join('; ');
}

const baselineEntry = ({ baseline }: GateSource, entry: string) =>
  baseline?.entries.find((one) => one.entry === entry);

/**
 * Returns how many configurations of a suite entry the baseline has, so that missing ones are noticed; 0 without a baseline, if it
 * lacks the entry, and with a reference build.
 */
export const knownCells = (source: GateSource, entry: string): number =>
  source.hasAnchor ? 0 : (baselineEntry(source, entry)?.cells.length ?? 0);

/**
 * Returns the names of entries that the baseline has but the suite lacks; empty without a baseline, and if a reference build is the
 * reference.
 * @param names names of the suite's entries
 */
export function goneEntries({ baseline, hasAnchor }: GateSource, names: readonly string[]): string[] {
  if (baseline === null || hasAnchor) return [];
  return baseline.entries.flatMap(({ entry }) => (names.includes(entry) ? [] : [entry]));
}

/**
 * Returns the description of the reference that the gate's result stores; null if there is no reference.
 * @param tonight runs of the build under test, by suite entry
 * @param compared comparisons with the reference
 * @param isCalibrated true if `collbench aa` measured equal runs on these hosts
 */
export function referenceOf(
  source: GateSource,
  tonight: ReadonlyMap<string, ComparableRun>,
  compared: readonly EntryComparison[],
  isCalibrated = false,
): GateResult['reference'] {
  const { baseline, hasAnchor } = source;
  const nights = baseline?.learned?.from.length ?? 0;
  const unlike = [...tonight].reduce((sum, [name, run]) => sum + learnedOf(source, run, name).unlike, 0);
  const unused =
    unlike === 0
      ? ''
      : `; not for ${plural(unlike, 'size range')}, learned of other sizes or another sampling (collbench baseline learn)`;
  if (hasAnchor) {
    return {
      kind: 'anchor',
      name: 'anchor',
      method: `Compared with the reference build in pairs of launches, in random order, with a look after every pair: at most ${formatPercent(sequenceAlpha)} of alarms are false, over all looks and size ranges.`,
    };
  }
  if (baseline === null) return null;
  const differ = nightsText(compared, { nights, unused, isCalibrated });
  const { name, setAt, source: of } = baseline;
  const when = setAt.slice(0, 10);
  return {
    kind: 'baseline',
    name,
    method: `Compared with baseline ${name} (${of.kind} ${of.id}, ${when}), measured at another time${differ === '' ? '' : `: ${differ}`}. A reference build would cancel drift of the machine.`,
  };
}
