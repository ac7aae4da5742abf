import { addTo, sumOfCounts } from '../results/collections.ts';
import { foldNames } from '../results/fold.ts';
import {
  type CellRecord,
  type FlagLevel,
  isDisturbed,
  measuredOf,
  type OkCell,
  type RunPlan,
} from '../results/schema/index.ts';
import { averageSentences } from './averages.ts';
import { boundSentences } from './bound-share.ts';
import { type ComparisonTextOptions, caveatOf, comparisonSentence } from './comparison-sentence.ts';
import { enqueueBoundSentence } from './device.ts';
import { evidenceSentence } from './evidence.ts';
import { fastestChoiceSentences } from './fastest-choices.ts';
import { importedVerification } from './imported.ts';
import { intervalsSentence, precisionSentence } from './precision.ts';
import { railsSentence } from './rails.ts';
import type { XAxisFormat } from './rows.ts';
import type { SeriesGroup, SeriesSource } from './series.ts';
import { groupsOfRun, isOk } from './series.ts';
import { comparisonsOf, type SeriesComparison } from './series-comparison.ts';
import { sideBySideSentences } from './side-by-side.ts';
import { partSummary } from './steps/sentences.ts';
import { partGroups } from './steps/variants.ts';
import {
  formatCount,
  formatRatio,
  formatTime,
  halfWidth,
  joinWords,
  plural,
  plusMinusHalf,
  valueRange,
} from './wording.ts';

/**
 * Results of a run as numbers and sentences. The run's record stores them (`RunRecord.summary`); terminal and report print them.
 * `checks`: number of data checks; `wrongElements`: number of wrong elements that they found; `flagged`: number of configurations
 * with a flag that disturbs results.
 */
export interface RunSummary {
  cellsMeasured: number;
  cellsExpected: number;
  checks: number;
  wrongElements: number;
  flagged: number;
  sentences: string[];
}

export function summarise(run: SeriesSource): RunSummary {
  const sentences = Object.values(summarySentences(run)).flat();
  return summaryWith(run.cells, run.record.plan.expected.cells, sentences);
}

const sentencesByGroups = new WeakMap<readonly SeriesGroup[], ReturnType<typeof sentencesOf>>();

/**
 * Returns the sentences about a run by topic, in the order in which the summary has them. '' or an empty list = nothing to say.
 * They are computed once per run, because the record and the terminal share them.
 */
export function summarySentences(run: SeriesSource): ReturnType<typeof sentencesOf> {
  const groups = groupsOfRun(run);
  const sentences = sentencesByGroups.get(groups) ?? sentencesOf(run, groups);
  sentencesByGroups.set(groups, sentences);
  return sentences;
}

function sentencesOf({ cells, record: { plan } }: SeriesSource, groups: readonly SeriesGroup[]) {
  const ok = cells.filter(isOk);
  return {
    averages: averageSentences(groups),
    steps: partSummary(partGroups(groups)),
    comparisons: comparisonSentences(groups),
    enqueueBound: enqueueBoundSentence(groups),
    fastest: fastestChoiceSentences(groups),
    bounds: boundSentences(groups),
    sideBySide: sideBySideSentences(groups),
    evidence: evidenceSentence(cells, plan),
    rails: railsSentence(ok),
    precision: precisionSentence(ok, plan),
    intervals: intervalsSentence(ok, plan),
    verified: verificationSentence(ok),
  };
}

/**
 * Returns a summary of a run: counts of its results, and sentences.
 * @param cellsExpected number of configurations that the run should have
 * @param sentences sentences of the summary; empty ones are left out
 */
export function summaryWith(
  cells: readonly CellRecord[],
  cellsExpected: number,
  sentences: readonly string[],
): RunSummary {
  const ok = cells.filter(isOk);
  return {
    cellsMeasured: ok.length,
    cellsExpected,
    checks: sumOfCounts(ok.map(({ verification }) => verification.checks)),
    wrongElements: sumOfCounts(ok.map(({ verification }) => verification.wrongElements)),
    flagged: ok.filter(isDisturbed).length,
    sentences: sentences.filter((text) => text !== ''),
  };
}

/**
 * Returns how many of the planned configurations were measured: "41 of 44 configurations measured". "" if none is missing.
 * @param expected number of planned configurations
 * @param ok configurations with a result
 */
export const missingSentence = (expected: number, ok: readonly OkCell[]): string =>
  ok.length >= expected ? '' : `${ok.length} of ${plural(expected, 'configuration')} measured`;

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}

/**
 * Returns the comparisons that get a sentence in the summary: all if they are at most three, else only those with a winner at some
 * x.
 */
const comparisonsToTell = (all: readonly SeriesComparison[]): readonly SeriesComparison[] =>
  all.length <= 3
    ? all
    : all.filter(({ points }) => points.some(({ winner }) => winner === 'a' || winner === 'b'));

/**
 * Returns sentences without full stops that say which of two series (transports, or runs) is faster. A single group of series has a
 * sentence per pair; if there are more than three pairs, only those with a winner have one. With several groups, those in which the
 * same series of a pair is faster at every x share one sentence; each other comparison has its own.
 * @param options `absolute` takes effect only if there is one group
 */
export function comparisonSentences(
  groups: readonly SeriesGroup[],
  options: ComparisonTextOptions = {},
): string[] {
  const first = groups[0];
  if (first === undefined) return [];
  if (groups.length === 1)
    return comparisonsToTell(comparisonsOf(first)).map((c) => comparisonSentence(c, options));
  const always = new Map<string, { x: XAxisFormat; comparisons: SeriesComparison[]; titles: string[] }>();
  const own: string[] = [];
  for (const group of groups) {
    for (const c of comparisonsOf(group)) {
      const side = (['a', 'b'] as const).find(
        (w) => c.points.length > 0 && c.points.every((p) => p.winner === w),
      );
      if (side === undefined) {
        own.push(`${group.title}: ${comparisonSentence(c, { ...options, absolute: false })}`);
        continue;
      }
      const key = `${c[side].name} is faster than ${c[side === 'a' ? 'b' : 'a'].name}`;
      const entry = always.get(key) ?? { x: c.x, comparisons: [], titles: [] };
      entry.comparisons.push(c);
      entry.titles.push(group.title);
      always.set(key, entry);
    }
  }
  return [...[...always].map(([key, entry]) => sharedSentence(key, entry, groups.length, options)), ...own];
}

function sharedSentence(
  key: string,
  entry: { x: XAxisFormat; comparisons: SeriesComparison[]; titles: string[] },
  groups: number,
  options: ComparisonTextOptions,
): string {
  const ratios = entry.comparisons.flatMap((c) =>
    c.points.map((p) => Math.max(p.aNs / p.bNs, p.bNs / p.aNs)),
  );
  const where = entry.titles.length === groups ? `all ${groups} series` : joinWords(entry.titles);
  const caveat = caveatOf(entry.comparisons, options);
  return `${key} at every ${entry.x.noun} of ${where}: ${valueRange(ratios, formatRatio)}${caveat}`;
}

/** True if at least one data check was made and no check found wrong data; also true if no configuration was measured. */
export const isVerified = (cells: readonly OkCell[]): boolean =>
  cells.length === 0 ||
  (cells.some(({ verification }) => verification.checks > 0) &&
    cells.every(({ verification }) => verification.wrongElements === 0));

/** Minimum share of flagged (disturbed) configurations with which a single sentence replaces the marks of all rows in the table. */
const mostlyFlaggedShare = 0.8;
export function isMostlyFlagged(cells: readonly CellRecord[]): boolean {
  const ok = cells.filter(isOk);
  return ok.length > 1 && ok.filter(isDisturbed).length >= mostlyFlaggedShare * ok.length;
}

/**
 * Returns how the received data were checked: "verified: 1,344 checks, 0 wrong (6.2 % of operations, 2.1 % of bytes; checking took
 * 1.2 s)"; `isBrief` leaves out the parentheses. It begins with "WRONG DATA" if any element is wrong, and with "not verified" if no
 * configuration was checked. If only some were checked, it counts the others. "verified: nothing, ..." without configurations.
 * Results of other programs have a sentence of their own.
 */
export function verificationSentence(cells: readonly OkCell[], isBrief = false): string {
  if (cells.length === 0) return 'verified: nothing, no configuration was measured';
  if (cells.every((c) => c.printed !== undefined)) return importedVerification(cells);
  const off = cells.filter((c) => !c.verification.enabled || c.verification.checks === 0);
  if (off.length === cells.length) return 'not verified: checking was off (turn it on with --check 1)';
  const checks = sum(cells, (c) => c.verification.checks);
  const wrong = sum(cells, (c) => c.verification.wrongElements);
  const bad = cells.filter((c) => c.verification.wrongElements > 0);
  const partly = off.length > 0 ? `, ${plural(off.length, 'configuration')} not checked` : '';
  if (wrong === 0)
    return `verified: ${plural(checks, 'check')}, 0 wrong${isBrief ? '' : verifiedShare(cells)}${partly}`;
  return `WRONG DATA: ${plural(wrong, 'element')} in ${bad.length} of ${plural(cells.length, 'configuration')} (${plural(checks, 'check')})${partly}`;
}

/** Returns the first place at which data were wrong: "first at rank 2, iteration 7, index 64, wanted 3, got 0 (not written)". */
export const firstWrongText = ({
  rank,
  iteration,
  index,
  wanted,
  got,
  note,
}: NonNullable<OkCell['verification']['first']>): string =>
  `first at rank ${rank}, iteration ${iteration}, index ${index}, wanted ${wanted}, got ${got}${note === '' ? '' : ` (${note})`}`;

/**
 * Returns the shares of operations and bytes whose data were checked, warm-up included: " (6.2 % of operations, ...)". Operations
 * that were not checked may contain undetected wrong data. Empty if the shares are unknown.
 */
function verifiedShare(cells: readonly OkCell[]): string {
  const found = verifiedShareOf(cells);
  if (found === null) return '';
  const ofBytes = found.bytes === null ? '' : `, ${shareText(found.bytes)} of bytes`;
  return ` (${shareText(found.operations)} of operations${ofBytes}${checkingText(cells)})`;
}

/**
 * Returns the time spent on checking data: "; checking took 1.2 s". Empty if unknown. Checks run between the samples, so the
 * measured times do not include the time for checking.
 */
function checkingText(cells: readonly OkCell[]): string {
  const ns = sum(cells, (c) => c.verification.checkingNs ?? 0);
  return ns === 0 ? '' : `; checking took ${formatTime(ns)}`;
}

/**
 * Returns the shares (0 to 1) of operations and of bytes whose data were checked, over all checked configurations. Null if a
 * checked configuration does not record its share, or if nothing was checked. `bytes` is null if no configuration has the axis
 * `bytes`.
 */
export function verifiedShareOf(
  cells: readonly OkCell[],
): { operations: number; bytes: number | null } | null {
  let [seen, due, seenBytes, dueBytes] = [0, 0, 0, 0];
  for (const { verification, axes } of cells) {
    const { checks, share } = verification;
    if (share === null || share === 0) {
      if (verification.enabled && checks > 0) return null;
      continue;
    }
    const bytes = typeof axes.bytes === 'number' ? axes.bytes : 0;
    seen += checks;
    due += checks / share;
    seenBytes += checks * bytes;
    dueBytes += (checks / share) * bytes;
  }
  if (due === 0) return null;
  return { operations: seen / due, bytes: dueBytes === 0 ? null : seenBytes / dueBytes };
}

/**
 * Formats a share (0 to 1) as a percentage, rounded down, so that "100 %" is printed only for all: one decimal below 10 %, "below
 * 0.1 %" for less.
 */
export function shareText(share: number): string {
  if (share >= 1) return '100 %';
  const percent = share * 100;
  if (percent < 0.1) return 'below 0.1 %';
  const digits = percent < 10 ? 10 : 1;
  return `${Math.floor(percent * digits) / digits} %`;
}

const maxHosts = 4;

/**
 * Returns the number of configurations flagged for disturbances: "2 of 8 configurations flagged: late 1, unsteady 1", the most
 * frequent flag first. Flags that do not disturb results are not counted. `isBrief` leaves out all flags but the first. Empty if
 * there are none.
 */
export function flagSentence(cells: readonly OkCell[], isBrief = false): string {
  const flagged = cells.filter(isDisturbed).length;
  if (flagged === 0) return '';
  const [first = '', ...others] = flagCounts(cells, 'disturbs');
  const named = isBrief ? [first, ...(others.length > 0 ? ['...'] : [])] : [first, ...others];
  return `${formatCount(flagged)} of ${plural(cells.length, 'configuration')} flagged: ${named.join(', ')}`;
}

/** Returns counts of the flags that are only remarks (level `note`): "noted: retransmits 3". Empty if there are none. */
export function noteSentence(cells: readonly OkCell[]): string {
  const counts = flagCounts(cells, 'note');
  return counts.length === 0 ? '' : `noted: ${counts.join(', ')}`;
}

/**
 * Returns for each flag of the level `wanted` its name, the number of configurations that have it, and, if not all hosts are
 * concerned, these hosts: "late 1 (gpu07)". The most frequent flag comes first.
 */
export function flagCounts(cells: readonly OkCell[], wanted: FlagLevel): string[] {
  const found = new Map<string, OkCell[]>();
  for (const cell of cells)
    for (const { name, level } of cell.flags) if (level === wanted) addTo(found, name, cell);
  return [...found]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([flag, those]) => `${flag} ${formatCount(those.length)}${onHosts(flag, those)}`);
}

/**
 * Returns the hosts on which a flag was set: " (gpu07)", or only their number if more than four: " (6 hosts)". The text is empty
 * if all hosts or no hosts have the flag.
 */
function onHosts(flag: string, cells: readonly OkCell[]): string {
  const all = new Set(cells.flatMap(({ load }) => load?.hosts.map(({ host }) => host) ?? []));
  const seen = new Set(
    cells.flatMap(({ load }) => load?.reasons.flatMap((one) => (one.flag === flag ? [one.host] : [])) ?? []),
  );
  if (seen.size === 0 || seen.size >= all.size) return '';
  return ` (${seen.size > maxHosts ? plural(seen.size, 'host') : foldNames([...seen])})`;
}

/**
 * Returns a sentence about the median and the largest half width of the 95 % intervals, relative to the times, and how many
 * configurations have none. It says "within this launch only" if any interval is computed from one launch, else "between launches".
 * If there is no interval, it says why.
 * @param figure name of the measured time whose intervals are described, such as "latency"
 */
export function intervalSentence(cells: readonly OkCell[], figure: string): string {
  const figures = cells.flatMap((cell) => measuredOf(cell, figure) ?? []);
  const widths = figures
    .flatMap((f) => (f.interval === null ? [] : [halfWidth(f.value, f.interval)]))
    .sort((a, b) => a - b);
  if (widths.length === 0) {
    return `no interval: ${figures.find((f) => f.intervalReason !== null)?.intervalReason ?? 'too few samples'}`;
  }
  const middle = widths[Math.floor((widths.length - 1) / 2)] ?? 0;
  const oneLaunch = figures.some((f) => f.interval?.scope === 'this-launch');
  const scope = oneLaunch ? 'within this launch only' : 'between launches';
  const none = figures.length - widths.length;
  const missing = none > 0 ? `; ${plural(none, 'configuration has', 'configurations have')} none` : '';
  return `95 % intervals ${scope}: typically ${plusMinusHalf(middle)}, at most ${plusMinusHalf(widths.at(-1) ?? 0)}${missing}`;
}

/**
 * Returns the number of ranks and where they run: "2 ranks on 1 node", "8 ranks on 4 nodes in 2 groups (rail)" or "2 ranks in one
 * process of NODE". Only "2 ranks" if an imported run does not state its nodes.
 */
export function ranksPhrase(plan: RunPlan): string {
  return `${plural(plan.ranks, 'rank')}${placePhrase(plan)}`;
}

/**
 * Returns where the ranks run, " on 2 nodes" or " in one process of gpu01", and the groups into which they are divided; empty if
 * the nodes are unknown.
 */
function placePhrase(plan: RunPlan): string {
  if (plan.imported?.unknown.includes('nodes')) return '';
  const place = plan.inProcess
    ? `in one process of ${plan.hosts[0]?.name ?? 'this node'}`
    : `on ${plural(plan.hosts.length, 'node')}`;
  const { groups } = plan;
  const together =
    groups === undefined ? '' : ` in ${plural(groups.members.length, 'group')} (${groups.rule})`;
  return ` ${place}${together}`;
}

/**
 * Returns the rank counts of several plans: "2, 3 or 4 ranks on 1 node". Plans with equal texts about nodes and groups of ranks
 * share a phrase, with their rank counts in ascending order; "or" joins the phrases.
 * @param placeOf returns where the ranks of a plan run, with a space before it; default: nodes or process, and groups of ranks
 */
export function ranksPhrases(plans: readonly RunPlan[], placeOf = placePhrase): string {
  const countsByPlace = new Map<string, Set<number>>();
  for (const plan of plans) {
    const place = placeOf(plan);
    countsByPlace.set(place, (countsByPlace.get(place) ?? new Set()).add(plan.ranks));
  }
  const phrases = [...countsByPlace].map(([place, counts]) => {
    const rising = [...counts].sort((a, b) => a - b);
    const most = plural(rising.at(-1) ?? 0, 'rank');
    return `${joinWords([...rising.slice(0, -1).map(formatCount), most], 'or')}${place}`;
  });
  return joinWords(phrases, 'or');
}
