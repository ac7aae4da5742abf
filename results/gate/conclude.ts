import { usualOptions } from '../compare/options.ts';
import { flagCounts } from '../derive/cells/flags.ts';
import { maxLaunches, minimumDetectableEffect, minLaunchesFor } from '../judge/detectable.ts';
import {
  changesRangeText,
  directionText,
  effectText,
  largestChange,
  type VerdictRecord,
} from '../judge/verdict-text.ts';
import type {
  CellRecord,
  GateCell,
  GateChange,
  GateFailure,
  GateGroup,
  GateResult,
} from '../schema/index.ts';
import { nameToType } from '../store/paths.ts';
import { formatPercent, plural } from '../units.ts';
import { type ExitCode, exitCode } from '../verdicts/exit-code.ts';
import type { GateDecision } from './decide.ts';

/** Facts from which the gate (`collbench suite --gate`, the pass-or-fail decision on a build) computes its result. */
export interface GateFindings {
  suite: GateResult['suite'];
  /** Path of the folder in which the suite's results are stored. */
  dir: string;
  reference: GateResult['reference'];
  decision: GateDecision;
  failures: GateFailure[];
  /** Settings that differ between the runs of this suite and the reference, from changesSinceReference(). */
  changed: NonNullable<GateResult['changed']>;
  /** Results of all configurations of the build under test, over all entries of the suite. */
  cells: readonly CellRecord[];
  /** Number of configurations that were measured but that the reference lacks, so that they are not judged. */
  unknownCells: number;
  /** Names of the suite entries that the baseline has but the suite now lacks. */
  goneEntries: readonly string[];
}

const maxNames = 5;
/** Number of launches that the advice to the user names if there are too few launches to know how much they differ. */
const fewLaunches = 5;

/**
 * Returns the result of the gate. The first of these that applies decides: failures (an interruption, then wrong data come first
 * for the exit code), slower times, slowdowns that are not confirmed, no reference, no size range in common with it, or size ranges
 * without a verdict. Otherwise the verdict is pass.
 */
export function conclude(findings: GateFindings): GateResult {
  const { suite, reference, decision, failures, changed, cells } = findings;
  const [verdict, code] = verdictOf(findings);
  return {
    schemaVersion: 2,
    suite,
    verdict,
    exitCode: code,
    sentence: sentenceOf(verdict, findings),
    ...adviceOf(verdict, findings),
    notes: notesOf(findings),
    reference,
    mustDetect: decision.mustDetect,
    groups: decision.groups,
    cells: decision.cells,
    failures,
    changed,
    flags: flagCounts(cells),
  };
}

function verdictOf({ reference, decision, failures }: GateFindings): [GateResult['verdict'], ExitCode] {
  const has = (kind: GateFailure['kind']): boolean => failures.some((failure) => failure.kind === kind);
  if (has('interrupted')) return ['failed', exitCode.interrupted];
  if (has('wrong-data')) return ['failed', exitCode.wrongData];
  if (failures.length > 0) return ['failed', exitCode.notRun];
  const all = [...decision.groups, ...decision.cells];
  if (all.some(({ verdict }) => verdict === 'slower')) return ['regression', exitCode.regression];
  if (all.some(isAlarming)) return ['unconfirmed', exitCode.noVerdict];
  const isOpen = decision.groups.some(({ verdict }) => verdict === 'unclear');
  if (reference === null || decision.groups.length === 0 || isOpen) return ['no-verdict', exitCode.noVerdict];
  return ['pass', exitCode.ok];
}

/**
 * Returns the largest of the smallest detectable changes of all size ranges (0.05 = 5 %); null if one of them is not known, or
 * without size ranges.
 */
function worstDetectable({ groups }: GateDecision): number | null {
  const all = groups.map(({ change }) => change.detectable);
  return all.includes(null) || all.length === 0 ? null : Math.max(...(all as number[]));
}

function sentenceOf(verdict: GateResult['verdict'], findings: GateFindings): string {
  const { decision, failures, reference } = findings;
  const { groups } = decision;
  if (verdict === 'failed') {
    const [first] = failures;
    const more = failures.length > 1 ? `; and ${failures.length - 1} more` : '';
    return `FAILED: ${first?.sentence ?? ''}${more}.`;
  }
  if (verdict === 'regression') {
    const isSlower = (judged: GateGroup | GateCell): boolean => judged.verdict === 'slower';
    const { worst, where } = worstOf(decision, isSlower);
    return `REGRESSION: up to ${directionText(worst.ratio)} ${where}.`;
  }
  if (verdict === 'unconfirmed') return unconfirmedSentence(decision);
  const worst = worstDetectable(decision);
  if (verdict === 'pass') {
    const pairs = pairsText(groups);
    const seen =
      worst === null
        ? ''
        : pairs === null
          ? ` (smallest detectable change ${effectText(worst)})`
          : ` (same within ${formatPercent(decision.mustDetect)} or faster, after ${pairs})`;
    return `PASS: none of ${plural(groups.length, 'size range')} is slower${seen}.`;
  }
  if (reference === null) return 'NO VERDICT: there is no reference build and no baseline.';
  const open = groups.filter((group) => group.verdict === 'unclear');
  const [first] = open;
  if (first === undefined) return 'NO VERDICT: the reference has none of these configurations.';
  const where = `${open.length} of ${plural(groups.length, 'size range')} (${changesRangeText(open.map(shownChange))})`;
  const why =
    worst === null || first.sequence !== undefined
      ? openPairsText(open, decision)
      : `too noisy, smallest detectable change ${effectText(worst)}`;
  return `NO VERDICT in ${where}: ${why}.`;
}

/**
 * Returns the largest change of the size ranges for which `has` is true, and their number; if there is no such range, of the single
 * sizes. There must be one of either.
 * @param recordOf converts a change to the form of the result
 * @returns `where`: "in 8 of 10 size ranges", "at 2 single sizes"
 */
function worstOf(
  { groups, cells }: GateDecision,
  has: (judged: GateGroup | GateCell) => boolean,
  recordOf: (judged: JudgedChange) => VerdictRecord = gateRecord,
): { worst: VerdictRecord; where: string } {
  const inGroups = groups.filter(has);
  const found = inGroups.length > 0 ? inGroups : cells.filter(has);
  const where =
    inGroups.length > 0
      ? `in ${inGroups.length} of ${plural(groups.length, 'size range')}`
      : `at ${plural(found.length, 'single size')}`;
  return { worst: largestChange(found.map(recordOf)), where };
}

/**
 * Returns the sentence about slowdowns that are not confirmed: "NOT CONFIRMED: up to 20x slower in 8 of 10 size ranges; machine
 * busy (other processes used 1.1, then 1.3 cores)."
 */
function unconfirmedSentence(decision: GateDecision): string {
  const { worst, where } = worstOf(decision, isAlarming, suspectedRecord);
  const open = decision.groups.filter(({ verdict }) => verdict === 'unclear').length;
  const rest = open === 0 ? '' : `. No verdict in ${open} more`;
  return `NOT CONFIRMED: up to ${directionText(worst.ratio)} ${where}; ${worst.reason ?? ''}${rest}.`;
}

/**
 * Returns after how many pairs of launches the size ranges were judged: "8 to 11 pairs"; null if launches were not measured in
 * pairs.
 */
function pairsText(groups: readonly GateGroup[]): string | null {
  const counts = groups.flatMap(({ sequence }) => (sequence === undefined ? [] : [sequence.looks.length]));
  if (counts.length === 0) return null;
  const [low, high] = [Math.min(...counts), Math.max(...counts)];
  return low === high ? plural(high, 'pair') : `${low} to ${plural(high, 'pair')}`;
}

/**
 * Returns why pairs of launches gave no verdict: if the margin that can be reached is wider than the required one, a text with that
 * margin; else the reason of the first size range.
 */
function openPairsText(open: readonly GateGroup[], { mustDetect }: GateDecision): string | null {
  const reaches = open.flatMap(({ sequence }) => sequence?.reachableMargin ?? []);
  const [first] = open;
  const widest = Math.max(...reaches);
  if (first?.sequence === undefined || reaches.length === 0 || widest <= mustDetect)
    return first?.reason ?? null;
  return `${plural(first.sequence.maxPairs, 'pair')} of launches suffice for "same within ${formatPercent(widest)}", not within ${formatPercent(mustDetect)}`;
}

/**
 * Returns advice for a gate whose pairs of launches gave no verdict: more pairs if their number can be estimated, the margin that
 * can be reached if it is wider than the required one, and always a quieter machine.
 */
function pairAdvice({ groups, mustDetect }: GateDecision): string[] {
  const open = groups.flatMap(({ verdict, sequence }) =>
    (verdict === 'unclear' || verdict === 'unconfirmed') && sequence !== undefined ? [sequence] : [],
  );
  const further = open.map((one) => (one.furtherPairs === null ? null : one.looks.length + one.furtherPairs));
  const reaches = open.flatMap(({ reachableMargin }) => reachableMargin ?? []);
  const advice: string[] = [];
  if (open.length > 0 && !further.includes(null)) {
    const wanted = Math.max(...(further as number[]));
    advice.push(`try --pairs ${Math.ceil(wanted / 10) * 10}: about ${wanted} are expected to decide`);
  }
  const widest = Math.max(...reaches);
  if (reaches.length > 0 && widest > mustDetect) {
    advice.push(
      `as many pairs reach a margin of ${formatPercent(Math.ceil(widest * 100) / 100)} on this machine (suite: detect; compare: --margin)`,
    );
  }
  return [...advice, 'use a quieter machine (collbench doctor names what disturbs it)'];
}

/**
 * Returns sentences that tell the user what to do after this verdict, most useful first. If storing the suite as the baseline is
 * advised, `next` is the command line for that. A suite that failed, or that has or may have a slowdown, is never to be stored.
 */
function adviceOf(
  verdict: GateResult['verdict'],
  findings: GateFindings,
): Pick<GateResult, 'advice' | 'next'> {
  const { reference, decision, goneEntries } = findings;
  const advice: string[] = [];
  if (reference === null && verdict !== 'failed') {
    advice.push('set it as the baseline, or give the suite a reference build (--anchor agent=PATH)');
  } else if (reference !== null && (verdict === 'no-verdict' || verdict === 'unconfirmed')) {
    const isInPairs = decision.groups.some(({ sequence }) => sequence !== undefined);
    advice.push(...(isInPairs ? pairAdvice(decision) : [launchAdvice(decision)]));
    if (reference.kind === 'baseline') {
      advice.push(
        'nights differ with any number of launches: a reference build, interleaved in the same night, detects smaller changes (--anchor)',
      );
    }
  }
  if (goneEntries.length > 0) {
    const names = goneEntries.slice(0, maxNames).join(', ') + (goneEntries.length > maxNames ? ', ...' : '');
    advice.push(`in the baseline but not in the suite: ${names}; set it again if that is intended`);
  }
  const mayBeStored = verdict === 'pass' || verdict === 'no-verdict';
  const isBaselineWanted = mayBeStored && (reference === null || goneEntries.length > 0);
  const next = `collbench baseline set ${nameToType(findings.suite.id, findings.dir)}`;
  return { advice, ...(isBaselineWanted ? { next } : {}) };
}

/**
 * Returns the advice for ranges without a clear verdict: more launches, or a quieter machine if more launches would not give a
 * verdict. If a range could not be tested, the advice is to measure again.
 */
function launchAdvice(decision: GateDecision): string {
  const open = decision.groups.filter(({ verdict }) => verdict === 'unclear' || verdict === 'unconfirmed');
  const untested = open.filter((group) => {
    const { lowRatio, highRatio } = shownChange(group);
    return lowRatio === null || highRatio === null;
  });
  const launches = Math.min(
    ...untested.flatMap((group) => Object.values(shownChange(group).launches)),
    fewLaunches,
  );
  if (launches < 2) return `measure again with --launches ${fewLaunches}`;
  if (untested.length > 0) return 'measure again on a quiet machine (collbench doctor names what uses it)';
  const wanted = launchesWanted(open, decision);
  return wanted === null
    ? `use a quieter machine: no number of launches up to ${maxLaunches} would detect a change of ${formatPercent(decision.mustDetect)}`
    : `try --launches ${wanted}, or use a quieter machine`;
}

function notesOf({ reference, unknownCells }: GateFindings): string[] {
  return reference !== null && unknownCells > 0
    ? [`${plural(unknownCells, 'configuration')} of the candidate are not in the reference: not judged`]
    : [];
}

/**
 * Returns the lowest number of launches per side, above the present one, with which every size range in `open` would show a change
 * of `mustDetect`, if launches scatter as they do now. Null if more than 100 are needed.
 */
function launchesWanted(open: readonly GateGroup[], { groups, mustDetect }: GateDecision): number | null {
  const alpha = usualOptions.falseDiscovery / Math.max(1, groups.length);
  const scatters = open.map((group) => {
    const { lowRatio, highRatio, launches, betweenNights } = shownChange(group);
    const half = Math.log((highRatio as number) / (lowRatio as number)) / 2;
    const { reference, tonight } = launches;
    const nights = 2 * (betweenNights ?? 0) ** 2;
    // This approximation is sufficient for advice: two standard errors are half of a 95 % interval. The scatter between nights does
    // not shrink with more launches.
    return {
      nights,
      variance: Math.max(0, (half / 2) ** 2 - nights) / (1 / reference + 1 / tonight),
      launches: Math.max(reference, tonight),
    };
  });
  const least = Math.max(...scatters.map(({ launches }) => launches)) + 1;
  const sees = (r: number, variance: number): boolean =>
    minimumDetectableEffect({ degrees: 2 * r - 2, launches: [r, r], alpha, variance }) <= mustDetect;
  return minLaunchesFor(
    (r) => scatters.every(({ variance, nights }) => sees(r, variance + (nights * r) / 2)),
    least,
  );
}

type JudgedChange = Pick<GateGroup | GateCell, 'change' | 'confirmation' | 'verdict' | 'reason'>;

/**
 * Returns the change that reports show: that of the repeated measurement if there was one, otherwise that of the first measurement.
 */
export const shownChange = ({ change, confirmation }: JudgedChange): GateChange => confirmation ?? change;

/** Converts a judged change to the form that functions of judge/verdict-text.ts take. */
export function gateRecord(judged: JudgedChange): VerdictRecord {
  const { ratio, lowRatio, highRatio, observed } = shownChange(judged);
  return { ratio, low: lowRatio, high: highRatio, observed, reason: judged.reason };
}

/**
 * Returns the larger change of the first and the repeated measurement, for texts about a slowdown that is not confirmed. The
 * repeated one alone may show no slowdown.
 */
export function suspectedRecord(judged: JudgedChange): VerdictRecord {
  const { change, confirmation } = judged;
  return gateRecord((confirmation?.ratio ?? 0) > change.ratio ? judged : { ...judged, confirmation: null });
}

/** True if the time looks longer but this is not certain (verdict `unconfirmed`). Shorter times never count. */
export const isAlarming = ({ verdict, change }: JudgedChange): boolean =>
  verdict === 'unconfirmed' && change.ratio > 1;
