import { rowOfKey, xTextOfId } from '../../results/axis-text.ts';
import { nameOfRun } from '../../results/compare/run.ts';
import { maxUnseenShare, minHistoryPoints } from '../../results/history/changes.ts';
import { smallestStep } from '../../results/history/detectable.ts';
import type { TimeLevel } from '../../results/history/levels.ts';
import { isInSlowMode, type SeriesModes } from '../../results/history/modes.ts';
import type { HistoryNight, NightRun, SizeStep } from '../../results/history/nights.ts';
import {
  isNotable,
  type PastStep,
  pastSteps,
  shownSize,
  sizesAlone,
  type UnconfirmedStep,
  unconfirmedStep,
} from '../../results/history/state.ts';
import type { Trend, TrendChange } from '../../results/history/trend.ts';
import type { TrendExplanation } from '../../results/history/trend-report.ts';
import { isLarge } from '../../results/judge/difference.ts';
import { changeText, directionText, effectText, unconfirmedText } from '../../results/judge/verdict-text.ts';
import { type SettingChange, trialOf } from '../../results/schema/index.ts';
import { formatPercent, formatTime, plural, signedSpread, spreadText } from '../wording.ts';

/**
 * Returns the value of one night that the history of a series shows, as natural logarithm with interval: that of the time in ns, or
 * for kind `ratio` that of the time divided by that of the reference build. A night without a ratio has its time, also for kind
 * `ratio`.
 */
export const levelOf = ({ ratio, time }: HistoryNight, { kind }: Pick<Trend, 'kind'>): TimeLevel =>
  kind === 'ratio' && ratio !== null ? ratio : time;

/**
 * Formats a difference of natural logarithms as a relative change: "+5.2 %". A change to ten times or more, or to a tenth or less,
 * is written as a factor: "x39".
 */
export function shiftText(log: number): string {
  const ratio = Math.exp(log);
  if (ratio >= 10 || ratio <= 0.1) return changeText(ratio);
  return `${log < 0 ? '-' : '+'}${formatPercent(ratio - 1)}`;
}

/**
 * Formats the value of one or several nights: a geometric mean of times as "4.71 µs", a ratio to the reference build as "1.052".
 * @param log natural logarithm of the time in ns, or of the ratio
 * @param kind whether the history has times or ratios
 */
export function levelText(log: number, kind: Trend['kind']): string {
  return kind === 'time' ? formatTime(Math.exp(log)) : Math.exp(log).toFixed(3);
}

/**
 * Returns half the width of the 95 % interval of a night's value (time, or ratio to the reference build), as a share of the value:
 * "2.1 %". If the interval is wide, returns both ends as multiples of the value: "x0.4-2.6". "" without an interval.
 */
export function halfText({ log, interval }: TimeLevel): string {
  if (interval === null) return '';
  return spreadText(1, { low: Math.exp(interval.low - log), high: Math.exp(interval.high - log) });
}

/**
 * Returns the 95 % interval of a night's value (time, or ratio to the reference build), with a space before it, to be appended to
 * the text of that value: "±2.1 %", or both ends as multiples of the value "x0.4-2.6". "" without an interval.
 */
export function intervalSuffix(level: TimeLevel): string {
  const half = halfText(level);
  return half === '' ? '' : ` ${signedSpread(half)}`;
}

/**
 * Returns a change of the measured time as text, with its first night: "5.2 % slower since 2026-11-18". Adds the night whose
 * results made the change detectable, if that is a later night, and a warning if the reference build changed too (`inAnchor`). For
 * a slow change over many nights (rule `creep`) only the night of detection is known, and no warning is added.
 * @param between text about other nights on which the change may have begun, from changeNightText(); "" if there are none
 */
export function confirmedText(
  { night, foundNight, shift, rule, inAnchor }: TrendChange,
  between: string,
): string {
  const what = directionText(Math.exp(shift));
  if (rule === 'creep') return `${what} within a quarter of a year, slowly; detected on ${foundNight}`;
  const known = foundNight === night ? '' : `, known since ${foundNight}`;
  const anchor = inAnchor ? '; the reference build changed too: check the machine first' : '';
  return `${what} since ${night}${between}${known}${anchor}`;
}

/**
 * Returns the range of nights in which a change of time may have begun: " (or another night from 2026-11-16 to 2026-11-19)". "" if
 * its first night is certain.
 */
function changeNightText(trend: Trend, { at, first, last }: TrendChange): string {
  if (first === at && last === at) return '';
  const [from, to] = [trend.nights[first]?.night, trend.nights[last]?.night];
  return from === undefined || to === undefined ? '' : ` (or another night from ${from} to ${to})`;
}

/**
 * Returns a change of time with its first night and other possible nights, followed by the machine settings that changed then, and
 * by the two modes if the series alternated at that time. The amount of change was computed at detection. If the amount computed
 * from all nights since then has the same direction and differs by 0.5 % or more, it is added.
 */
export function changeSentence(trend: Trend, { change, machine }: TrendExplanation): string {
  const modes = trend.modes.find(({ from, to }) => change.at > from && change.at <= to);
  const before = modes === undefined ? '' : `; the series has ${modesText(trend, modes)}`;
  return `${changeAlone(trend, change)}${machineText(machine)}${before}`;
}

/** Maximum number of changed machine settings that a sentence names; further ones are only counted. */
const maxMachineSettings = 3;

/**
 * Returns the machine settings that changed when a time changed, to be appended to the text of that change: ", after the kernel
 * changed 6.1.0 -> 6.8.0". If they changed in another of the nights on which the change may have begun (`isInWindow`): "; within
 * these nights the kernel changed ...". "" if none did.
 */
export function machineText({ changed, isInWindow }: TrendExplanation['machine']): string {
  if (changed.length === 0) return '';
  const named = changed.slice(0, maxMachineSettings).map(({ about, name, base, other }) => {
    const what = about === 'machine' ? `the ${name}` : name;
    return `${what} changed ${base ?? 'not there'} -> ${other ?? 'not there'}`;
  });
  const more = changed.length - named.length;
  const text = `${named.join(' and ')}${more > 0 ? ` and ${more} more` : ''}`;
  return isInWindow ? `; within these nights ${text}` : `, after ${text}`;
}

/**
 * Returns as text the machine settings that changed together with a possible (unconfirmed) change of time in the newest nights:
 * "after the kernel changed 6.1.0 -> 6.8.0"; "" if none did.
 */
export const suspectsText = (suspects: readonly SettingChange[]): string =>
  suspects.length === 0 ? '' : machineText({ changed: [...suspects], isInWindow: false }).slice(', '.length);

/**
 * Returns the two typical times (modes) between which a series alternates: "two modes: 10.0 µs in 14 of 20 nights, 15.1 µs (51 %
 * slower) in 6; 9 switches since 2026-03-02".
 */
function modesText(trend: Trend, { from, to, fast, slow, slowNights, switches }: SeriesModes): string {
  const nights = to - from;
  const noun = nounOf(trend);
  const since = trend.nights[from]?.night ?? '';
  return (
    `two modes: ${levelText(fast, trend.kind)} in ${nights - slowNights} of ${plural(nights, noun)}, ` +
    `${levelText(slow, trend.kind)} (${directionText(Math.exp(slow - fast))}) in ${slowNights}; ${switches} switches since ${since}`
  );
}

/**
 * Returns the two times between which the newest nights of a series alternate (its modes); undefined if these nights have a single
 * typical time.
 */
export const newestModes = (trend: Trend): SeriesModes | undefined =>
  trend.modes.find(({ to }) => to === trend.nights.length);

/**
 * Returns a sentence about the two times (modes) between which the newest nights alternate, and which of them the newest night has.
 * Null if these nights have a single typical time.
 */
export function modesSentence(trend: Trend): string | null {
  const modes = newestModes(trend);
  const newest = trend.nights.at(-1);
  if (modes === undefined || newest === undefined) return null;
  const isSlow = isInSlowMode(trend.modes, trend.nights.length - 1, levelOf(newest, trend).log);
  return `${modesText(trend, modes)}, the newest in the ${isSlow ? 'slower' : 'faster'} one. A switch between them is no change`;
}

function changeAlone(trend: Trend, change: TrendChange): string {
  const text = confirmedText(change, changeNightText(trend, change));
  const part = trend.segments.findIndex(({ from }) => from === change.at);
  const [before, after] = [trend.segments[part - 1], trend.segments[part]];
  if (before === undefined || after === undefined || after.to - 1 <= change.foundAt) return text;
  const shift = after.log - before.log;
  if (Math.abs(shift - change.shift) < 0.005 || shift * change.shift <= 0) return text;
  return `${text}; ${directionText(Math.exp(shift))} over all ${plural(after.to - after.from, nounOf(trend))} since`;
}

/**
 * Returns a recorded setting that changed between two nights, with its old and new value: "kernel 6.1.0 -> 6.1.9"; "not there"
 * replaces a value that was not recorded.
 */
export const settingText = ({ name, base, other }: SettingChange): string =>
  `${name} ${base ?? 'not there'} -> ${other ?? 'not there'}`;

/** Maximum number of changed settings that a text names; further ones are only counted. */
const maxSettings = 12;

/**
 * Returns which recorded settings differ between the last night before a change of time and the first night after: "between a00013
 * (2026-03-20) and a00014 (2026-03-21): nccl 2.28.9 -> 2.30.7". It names up to twelve. If no setting differs, or if settings are
 * unknown, it says so.
 */
export function causeText({ before, after, changed, why }: TrendExplanation): string {
  const named = (changed ?? []).slice(0, maxSettings).map(settingText);
  const more = (changed?.length ?? 0) - named.length;
  const what =
    changed === null
      ? (why ?? '')
      : named.length === 0
        ? 'no recorded setting changed'
        : named.join(' · ') + (more > 0 ? ` · and ${more} more` : '');
  return `between ${runText(before.runs.at(-1))} (${before.night}) and ${runText(after.runs[0])} (${after.night}): ${what}`;
}

/** Returns how the samples of a series were timed: "isolated" (one operation at a time) or "pipelined" (back to back). */
export const trialOfTrend = ({ series, figure }: Trend): string => trialOf(rowOfKey(series), figure);

const trialTexts: Record<string, string> = { isolated: 'isolated latency', pipelined: 'pipelined interval' };
export const trialText = (trend: Trend): string => trialTexts[trialOfTrend(trend)] ?? trend.figure;

/**
 * Returns remarks about a night's results: notes, warnings (names of flags), and the sizes without a usable time, for which the
 * night's mean contains an estimate: "8 B estimated".
 */
export const marksOfNight = (
  { series }: Pick<Trend, 'series'>,
  { notes, warnings, open }: HistoryNight,
): string[] => [
  ...notes,
  ...warnings,
  ...(open.length === 0 ? [] : [`${open.map((x) => xTextOfId(series, x)).join(' ')} estimated`]),
];

/** Returns the label of a run, or its id if it has no label; '' if there is no run. */
export const runText = (run: NightRun | undefined): string => (run === undefined ? '' : nameOfRun(run));

/** Returns the noun for what one point of a history combines: all runs of a "night", a single "run", or those of a "commit". */
export const nounOf = ({ by }: Pick<Trend, 'by'>): string => (by === 'day' ? 'night' : by);

/**
 * Returns the number of points (nights, runs or commits) in the history of a series: "30 nights", "8 commits", or for single runs
 * "5 runs of 1 day".
 */
export function countText(trend: Pick<Trend, 'by' | 'nights'>): string {
  const count = plural(trend.nights.length, nounOf(trend));
  if (trend.by !== 'run') return count;
  const days = new Set(trend.nights.map(({ night }) => night.slice(0, 10))).size;
  return `${count} of ${plural(days, 'day')}`;
}

/**
 * Returns why small changes of time cannot be detected in the history of a series; null if they can.
 * @param step smallest change that would be detected, as a share of the time; null = too few nights since the last change
 */
function doubtText(trend: Trend, step: number | null): string | null {
  const noun = nounOf(trend);
  const points = trend.nights.length;
  if (points < minHistoryPoints)
    return `a change can be seen from ${minHistoryPoints} ${noun}s on, there ${points === 1 ? 'is' : 'are'} ${points}`;
  if (step === null) return `too few ${noun}s since the last change`;
  return step > maxUnseenShare ? `too noisy, only changes above ${effectText(step)} would be detected` : null;
}

/** Text about a change of time that the second measurement of `suite --gate` showed too; the gate repeats what looks slower. */
const againText = 'seen again in a second measurement';

/**
 * Returns the text about a change of time in the newest nights that these nights alone do not prove. A large one: "20x slower since
 * 2026-11-21, not confirmed: a change can be seen from 12 nights on, there are 2; flagged cpu-busy". Another: "no verdict: +30 %
 * time since 2026-11-21, only 1 night". If a second measurement of the gate showed it too, the text is "20x slower since
 * 2026-11-21, seen again in a second measurement".
 */
export function unconfirmedStepText(trend: Trend, step: UnconfirmedStep): string {
  const { at, night, ratio, isSeenAgain } = step;
  const since = `${directionText(ratio)} since ${night}`;
  if (isSeenAgain) return `${since}, ${againText}`;
  const few = `only ${plural(trend.nights.length - at, nounOf(trend))}`;
  const doubt = doubtText(trend, smallestStep(trend)) ?? few;
  const flags = flagsText(trend, at, trend.nights.length);
  if (!isLarge(ratio)) return `no verdict: ${shiftText(Math.log(ratio))} time since ${night}, ${few}${flags}`;
  return unconfirmedText({ ratio, reason: `${doubt}${flags}` }, ` since ${night}`);
}

/**
 * Returns the warnings about the nights from index `from` up to, but without, index `to`, to be appended to a reason: "; flagged
 * cpu-busy"; "" if there are none.
 */
function flagsText({ nights }: Trend, from: number, to: number): string {
  const flags = [...new Set(nights.slice(from, to).flatMap(({ warnings }) => warnings))];
  return flags.length === 0 ? '' : `; flagged ${flags.join(', ')}`;
}

/**
 * Returns the text about a large change of time that later nights no longer show: "39x slower on 2026-11-21, not confirmed; over
 * since 2026-11-22; flagged cpu-busy".
 */
export function pastStepText(
  trend: Trend,
  { at, overAt, night, overNight, ratio, isSeenAgain }: PastStep,
): string {
  const last = trend.nights[overAt - 1]?.night ?? night;
  const when = last === night ? `on ${night}` : `from ${night} to ${last}`;
  const proof = isSeenAgain ? againText : 'not confirmed';
  return `${directionText(ratio)} ${when}, ${proof}; over since ${overNight}${flagsText(trend, at, overAt)}`;
}

/**
 * Returns the text about single sizes that look much changed in the newest night: "20x slower at 8 KiB on 2026-11-21, not
 * confirmed: only 1 night; flagged cpu-busy", or "..., seen again in a second measurement". One size is named, the others are
 * counted.
 * @param sizes at least one
 */
export function sizesText(trend: Trend, sizes: readonly SizeStep[]): string {
  const { x, ratio, isSeenAgain } = shownSize(sizes);
  const more = sizes.length > 1 ? ` and ${plural(sizes.length - 1, 'more size')}` : '';
  const last = trend.nights.length - 1;
  const where = `at ${xTextOfId(trend.series, x)}${more} on ${trend.nights[last]?.night ?? ''}`;
  if (isSeenAgain) return `${directionText(ratio)} ${where}, ${againText}`;
  const reason = `only 1 ${nounOf(trend)}${flagsText(trend, last, last + 1)}`;
  return `${directionText(ratio)} ${where}, not confirmed: ${reason}`;
}

/**
 * Returns a short text for tables about single sizes that look much changed in the newest night: "20x slower at one size, not
 * confirmed". Of several sizes it is about the one with the largest change; sizes whose change a second measurement showed too go
 * first.
 * @param sizes at least one
 */
export function oneSizeText(sizes: readonly SizeStep[]): string {
  const { ratio, isSeenAgain } = shownSize(sizes);
  return `${directionText(ratio)} at one size, ${isSeenAgain ? 'seen again' : 'not confirmed'}`;
}

/**
 * Returns labels for a chart of times over nights: at confirmed changes, and at large ones that are unconfirmed or over; oldest
 * first.
 * @returns `at`: index of the first night of the change; `isSlower`: true if the time became longer; `text`: amount of the change
 */
export function stepLabels(trend: Trend): { at: number; isSlower: boolean; text: string }[] {
  const newest = unconfirmedStep(trend, trend.segments.at(-1));
  const open = newest !== null && isNotable(newest) ? [newest] : [];
  return [
    ...trend.changes.map(({ at, shift }) => ({ at, isSlower: shift > 0, text: shiftText(shift) })),
    ...[...pastSteps(trend), ...open].map(({ at, ratio, isSeenAgain }) => ({
      ...{ at, isSlower: ratio > 1 },
      text: `${directionText(ratio)}${isSeenAgain ? '' : ', not confirmed'}`,
    })),
  ].sort((a, b) => a.at - b.at);
}

/**
 * Returns the sentence about a series without a confirmed change of time. It names single sizes that changed, or else an
 * unconfirmed change of the newest nights. If there is neither, it says why no verdict is possible, or how large a change would
 * have been detected.
 */
export function quietText(trend: Trend): string {
  const suspect = unconfirmedStep(trend, trend.segments.at(-1));
  const sizes = sizesAlone(trend, suspect);
  if (sizes.length > 0) return sizesText(trend, sizes);
  if (suspect !== null) return unconfirmedStepText(trend, suspect);
  const step = smallestStep(trend);
  const doubt = doubtText(trend, step);
  if (doubt !== null || step === null) return `no verdict: ${doubt}`;
  return `no change; one of ${formatPercent(step)} or more would have been detected (80 % power)`;
}
