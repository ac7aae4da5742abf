// Decides which changes of a suite are reported, by the steps of a baseline in docs/suites.md: all size ranges of all entries
// are tested together, and separately all single sizes.
import { usualOptions } from '../compare/options.ts';
import { regimeText } from '../derive/cells/cell-group.ts';
import type { VariancePrior } from '../derive/statistics/launch-interval.ts';
import { type Difference, differenceOf, isLarge } from '../judge/difference.ts';
import { type FamilyFinding, judgeFamily } from '../judge/family.ts';
import { withNights } from '../judge/nights.ts';
import { effectText } from '../judge/verdict-text.ts';
import type {
  ComparisonChange,
  GateCell,
  GateChange,
  GateGroup,
  GateResult,
  GateVerdict,
  NightScatterSource,
  PairOfRuns,
  SettingChange,
} from '../schema/index.ts';
import { formatPercent } from '../units.ts';

/** Comparison (`pair`) of one suite entry of the build under test with the reference. `entry`: name of the suite entry. */
export interface EntryComparison {
  entry: string;
  pair: PairOfRuns;
  /**
   * Returns the variance of log time between nights for a size range, or for one of its configurations. Null in place of the
   * function if both builds were measured alternately in the same night.
   */
  night: ((group: string, cell?: string) => NightScatter) | null;
}

/** Variance of log time between nights, in addition to that between launches, and where the value comes from. */
export interface NightScatter extends VariancePrior {
  from: NightScatterSource;
  /** Number of earlier runs from which it was computed; 0 if it was learned, assumed, or shown by `collbench aa`. */
  runs: number;
}

export interface GateDecision {
  groups: GateGroup[];
  cells: GateCell[];
  /** Smallest relative change that must be detectable for the verdict "same": 0.1 = 10 %. */
  mustDetect: number;
}

const { groupThreshold, cellThreshold, falseDiscovery } = usualOptions;
/**
 * A repeated measurement confirms the verdict `slower` if its p-value is below `confirmP`. The repetition is a single test, so no
 * correction for many tests is needed. `confirmCell`: smallest relative change by which a single size must be slower again.
 */
const confirmP = 0.05;
const confirmCell = 0.03;

interface CandidateTest {
  change: ComparisonChange;
  difference: Difference | null;
  launches: [number, number];
  night: NightScatter | null;
}

/**
 * Prepares the test of whether one change of time differs from 0; `difference` is null if the comparison could not determine the
 * scatter of launches, for example with one launch.
 * @param night variance between nights, added if the two sides are of different nights; null = not added
 */
function testChange(change: ComparisonChange, night: NightScatter | null): CandidateTest {
  const { ratio, scatter, degrees, launches } = change;
  if (scatter === null || degrees === null) return { change, difference: null, launches, night };
  const own = { variance: scatter ** 2 * (1 / launches[0] + 1 / launches[1]), degrees };
  const total = withNights(own, night);
  const difference = differenceOf(Math.log(ratio), Math.sqrt(total.variance), total.degrees);
  return { change, difference, launches, night };
}

function gateChange({ change, launches, night }: CandidateTest, found: FamilyFinding | null): GateChange {
  const sides = {
    launches: { reference: launches[0], tonight: launches[1] },
    betweenNights: night === null ? null : Math.sqrt(night.variance),
    ...(night === null ? {} : { betweenNightsFrom: night.from }),
  };
  const { observed } = change;
  if (found === null) {
    const none = { lowRatio: null, highRatio: null, pValue: null, adjustedP: null, detectable: null };
    return { ratio: change.ratio, observed, ...none, ...sides };
  }
  const { difference, low, high, p, adjustedP, detectable } = found;
  return {
    ratio: Math.exp(difference),
    observed,
    lowRatio: Math.exp(low),
    highRatio: Math.exp(high),
    pValue: p,
    adjustedP,
    ...sides,
    detectable: Number.isFinite(detectable) ? detectable : null,
  };
}

type GroupVerdict = Pick<GateGroup, 'verdict' | 'change' | 'doubt' | 'reason'>;

const seesEnough = ({ detectable }: GateChange, mustDetect: number): boolean =>
  detectable !== null && detectable <= mustDetect;

/**
 * Judges changes that are tested together. "same" requires that a change of `mustDetect` would have been detected. A large change
 * that could not be tested, or that the scatter hides, is "unconfirmed", unless the comparison found it to be "not-enough-data";
 * other changes are "unclear". The results are in the order of `all`.
 * @param threshold smallest relative change that is reported: 0.02 = 2 %
 */
function verdictsOf(all: readonly CandidateTest[], threshold: number, mustDetect: number): GroupVerdict[] {
  const findings = judgeFamily(all, { threshold, falseDiscovery });
  return all.map((one, i): GroupVerdict => {
    const found = findings[i] ?? null;
    const change = gateChange(one, found);
    const isSuspect = isLarge(change.ratio) && one.change.verdict !== 'not-enough-data';
    const open: GateVerdict = isSuspect ? 'unconfirmed' : 'unclear';
    const verdict: GateVerdict = found?.change ?? (seesEnough(change, mustDetect) ? 'same' : open);
    const isSure = verdict !== 'unconfirmed' && verdict !== 'unclear';
    return { verdict, change, ...(isSure ? sure : whyUnsure(one, change, mustDetect)) };
  });
}

/**
 * Returns as text why a verdict is uncertain: too much scatter, with the smallest change that would be detected, or why the change
 * could not be tested.
 * @param mustDetect smallest relative change that must be detectable for the verdict "same": 0.1 = 10 %
 */
function whyUnsure(
  { change }: CandidateTest,
  { detectable }: GateChange,
  mustDetect: number,
): Pick<GateGroup, 'doubt' | 'reason'> {
  if (detectable === null) return { doubt: change.doubt, reason: change.reason ?? 'too few launches' };
  const reason = `too noisy, only changes above ${effectText(detectable)} would be detected (the gate must detect ${formatPercent(mustDetect)})`;
  return { doubt: 'scatter', reason };
}

const sure = { doubt: null, reason: null };

/**
 * Judges all size ranges of all entries together and, separately, all single sizes. Verdicts `slower` and `unconfirmed` are final
 * only after confirm() has judged a repeated measurement.
 * @param mustDetect smallest relative change that must be detectable for the verdict "same": 0.1 = 10 %
 */
export function decide(entries: readonly EntryComparison[], mustDetect: number): GateDecision {
  const nightOf = ({ night }: EntryComparison, group: string, cell?: string) => night?.(group, cell) ?? null;
  const groups = entries.flatMap((one) => one.pair.groups.map((group) => ({ one, group })));
  const cells = entries.flatMap((one) => one.pair.cells.map((cell) => ({ one, cell })));
  const ofGroups = verdictsOf(
    groups.map(({ one, group }) => testChange(group.change, nightOf(one, group.key))),
    groupThreshold,
    mustDetect,
  );
  const ofCells = verdictsOf(
    cells.map(({ one, cell }) => testChange(cell.change, nightOf(one, cell.group, cell.id))),
    cellThreshold,
    mustDetect,
  );
  const titles = new Map<string, string>();
  const decided = groups.map(({ one, group }, i): GateGroup => {
    const title = `${group.title}, ${regimeText[group.regime]}`;
    titles.set(`${one.entry} ${group.key}`, title);
    return {
      entry: one.entry,
      title,
      ...(ofGroups[i] as GroupVerdict),
      confirmation: null,
      key: group.key,
      xs: group.xs,
      variance: group.change.scatterFrom === 'learned' ? 'learned' : 'launches',
    };
  });
  return {
    mustDetect,
    groups: decided,
    cells: cells.map(
      ({ one, cell }, i): GateCell => ({
        entry: one.entry,
        title: titles.get(`${one.entry} ${cell.group}`) ?? cell.group,
        ...(ofCells[i] as GroupVerdict),
        confirmation: null,
        id: cell.id,
        group: cell.group,
        x: cell.x,
      }),
    ),
  };
}

/** True if the suite entry must be measured again: the time is slower for certain, or looks slower (`unconfirmed`). */
const isSuspected = ({ verdict, change }: GateGroup | GateCell): boolean =>
  verdict === 'slower' || (verdict === 'unconfirmed' && change.ratio > 1);

/** Returns the names of suite entries with a suspected slowdown, which are measured again before a regression is reported. */
export function suspects({ groups, cells }: GateDecision): string[] {
  return [...new Set([...groups, ...cells].filter(isSuspected).map(({ entry }) => entry))];
}

/**
 * Judges the second measurement, made with new launches of both sides. A regression must be slower again, with p < 0.05 and by at
 * least 2 % (a single size: 3 %). If the first verdict was `unconfirmed`, the second measurement must pass the stricter test of
 * decide(). If the time is not slower again, the verdict is `transient`, provided that a change of `mustDetect` would have been
 * detected. If it would not, the second measurement proves nothing: a first verdict `slower` becomes `unconfirmed`, and
 * `unconfirmed` becomes `unclear` unless the time is much slower again, or is slower again and cannot be tested. A slower time that
 * was not measured again is `unconfirmed`, too. Size ranges and single sizes that were not suspected stay unchanged.
 * @param again comparisons of the entries that were measured again
 */
export function confirm(decision: GateDecision, again: readonly EntryComparison[]): GateDecision {
  const byEntry = new Map(again.map((one) => [one.entry, one]));
  const settle = <T extends GateGroup | GateCell>(
    found: T,
    change: ComparisonChange | undefined,
    { group, cell, threshold }: { group: string; cell?: string; threshold: number },
  ): T => {
    if (!isSuspected(found)) return found;
    if (change === undefined) {
      const reason = [...(found.reason ? [found.reason] : []), 'it could not be measured again'].join('; ');
      return { ...found, verdict: 'unconfirmed', reason };
    }
    const second = testChange(change, byEntry.get(found.entry)?.night?.(group, cell) ?? null);
    const [alone = null] = judgeFamily([second], { threshold, falseDiscovery });
    const confirmation = gateChange(second, alone);
    const verdict = settledVerdict(found, {
      second,
      alone,
      threshold,
      isSeen: seesEnough(confirmation, decision.mustDetect),
    });
    const isSure = verdict === 'slower' || verdict === 'transient';
    const why = isSure ? sure : whyUnsure(second, confirmation, decision.mustDetect);
    return { ...found, confirmation, verdict, ...why };
  };
  return {
    ...decision,
    groups: decision.groups.map((found) => {
      const { pair } = byEntry.get(found.entry) ?? {};
      const match = pair?.groups.find(({ key }) => key === found.key);
      return settle(found, match?.change, { group: found.key, threshold: groupThreshold });
    }),
    cells: decision.cells.map((found) => {
      const { pair } = byEntry.get(found.entry) ?? {};
      const match = pair?.cells.find(({ id }) => id === found.id);
      return settle(found, match?.change, {
        ...{ group: found.group, cell: found.id, threshold: confirmCell },
      });
    }),
  };
}

interface SecondMeasurement {
  second: CandidateTest;
  /** Result of the test of decide(), for this change alone; null if it could not be tested. */
  alone: FamilyFinding | null;
  /** Smallest relative change by which the time must be slower again: 0.02 = 2 %. */
  threshold: number;
  /** True if the second measurement detects a change of size `mustDetect` with probability 0.8. */
  isSeen: boolean;
}

/**
 * Returns the final verdict on a suspected slowdown, from the changes that the first and the repeated measurement showed, by the
 * rules of confirm().
 */
function settledVerdict(
  { verdict, change }: GateGroup | GateCell,
  { second, alone, threshold, isSeen }: SecondMeasurement,
): GateVerdict {
  const { difference } = second;
  const isAgain = Math.log(second.change.ratio) >= Math.log1p(threshold);
  if (alone?.change === 'slower') return 'slower';
  if (verdict === 'slower' && isAgain && difference !== null && difference.p < confirmP) return 'slower';
  if (isSeen) return 'transient';
  if (verdict === 'slower') return 'unconfirmed';
  if (difference === null) return isAgain ? 'unconfirmed' : 'unclear';
  return isLarge(change.ratio) && isLarge(second.change.ratio) && isAgain ? 'unconfirmed' : 'unclear';
}

/**
 * Returns the settings that differ between tonight's runs and the reference: versions, variables, machines, plans. A difference
 * that several suite entries have is listed once, with the names of all of them.
 */
export function changesSinceReference(
  compared: readonly Pick<EntryComparison, 'entry' | 'pair'>[],
): NonNullable<GateResult['changed']> {
  const found = new Map<string, SettingChange & { entries: string[] }>();
  for (const { entry, pair } of compared) {
    for (const { about, name, base, other } of pair.settings) {
      const key = JSON.stringify([about, name, base, other]);
      const row = found.get(key) ?? { about, name, base, other, entries: [] };
      row.entries.push(entry);
      found.set(key, row);
    }
  }
  return [...found.values()];
}
