// The lines below the table of a run without --verbose: at most five, problems first.
import type { Colors } from 'picocolors/types.js';
import { retriedLegend } from '../../results/derive/index.ts';
import type { OkCell, RunPlan } from '../../results/schema/index.ts';
import { averageSentences } from '../averages.ts';
import { evidenceSentence, evidenceText } from '../evidence.ts';
import { overlapSentences } from '../load-overlap.ts';
import { briefPrecision, typicalWidth } from '../precision.ts';
import { railsSentence } from '../rails.ts';
import { groupsOfRun, isOk, type SeriesGroup, type SeriesSource } from '../series.ts';
import {
  comparisonSentences,
  flagSentence,
  isVerified,
  missingSentence,
  summarySentences,
  verificationSentence,
} from '../summary.ts';
import { cutAfterWord, formatDuration, wrap } from '../wording.ts';
import { type FootInput, footRun } from './foot.ts';
import type { HeadOptions } from './head.ts';
import { wrongDataSentences } from './troubles.ts';

/** Maximum number of lines printed below a run's table, without the empty line above them. */
export const maxFootLines = 5;
/** Maximum number of lines of one sentence below the table. A longer sentence is cut; the report and --verbose have it in full. */
const maxLinesEach = 2;

type TextPaint = (text: string) => string;
const plain: TextPaint = (text) => text;

/** Wordings of one sentence, each shorter than the previous one. The first that fits into the terminal's width is printed. */
type TextVariants = readonly string[];

/** Returns the first wording that fits on one line. If none fits, returns the last wording, cut after `lines` lines. */
function fittingWording(wordings: TextVariants, width: number, lines = maxLinesEach): string[] {
  const whole = wordings.find((text) => text.length <= width);
  return whole === undefined ? cut(wordings.at(-1) ?? '', width, lines) : [whole];
}

function cut(text: string, width: number, lines: number): string[] {
  const all = wrap(text, width, '  ');
  if (all.length <= lines) return all;
  const last = all.slice(lines - 1).map((line, i) => (i === 0 ? line : line.trimStart()));
  return [...all.slice(0, lines - 1), cutAfterWord(last.join(' '), width)];
}

/** Collects the (at most five) lines below a run's table. Lines are added below those at the top, or above those at the bottom. */
class FiveLines {
  private readonly top: string[] = [];
  private readonly bottom: string[] = [];
  private readonly width: number;
  /** Number of sentences that were left out for lack of lines; only this number is printed: "(2 more with --verbose)". */
  omitted: number;

  constructor(width: number, omitted: number) {
    this.width = width;
    this.omitted = omitted;
  }

  get left(): number {
    return maxFootLines - this.top.length - this.bottom.length;
  }

  /** Adds lines at the bottom, above those that an earlier call added. Lines at the bottom are always printed. */
  end(lines: readonly string[]): void {
    this.bottom.unshift(...lines);
  }

  add(lines: readonly string[], paint = plain): void {
    if (lines.length === 0) return;
    if (lines.length > this.left) this.omitted += 1;
    else this.top.push(...lines.map(paint));
  }

  /**
   * Returns all lines, with an empty line before them. The number of omitted sentences is appended to the last of the top lines
   * that has room for it; if none has, it is not printed.
   */
  all(): string[] {
    const more = ` (${this.omitted} more with --verbose)`;
    const at = this.top.findLastIndex((line) => line.length + more.length <= this.width);
    const top = this.top.map((line, i) => (this.omitted > 0 && i === at ? line + more : line));
    return ['', ...top, ...this.bottom];
  }
}

/**
 * Returns an empty line and the at most five lines printed below a run's table: problems, main comparison or average bandwidth,
 * precision and flags (disturbances), notes, resumptions, legend of repeated measurements; last data checks and transports, and the
 * path of the report. The last two are always printed. If five lines are too few, the other sentences are left out from the end of
 * this order; precision and flags share a line if only one is left.
 * @param notes sentences that explain the table
 */
export function briefFootLines(
  options: HeadOptions,
  input: FootInput,
  width: number,
  colours: Colors,
  notes: readonly string[] = [],
): string[] {
  const { plan } = options;
  const ok = input.cells.filter(isOk);
  const run = footRun(plan, input);
  const groups = groupsOfRun(run);
  const [main, ...others] = mainSentences(run, groups);
  const foot = new FiveLines(width, others.length);
  // The path is printed on one line, however narrow the terminal is, so that users can copy it.
  if (input.reportPath) foot.end([`report: ${input.reportPath}`]);
  const verified = verifiedLines(input, ok, width);
  foot.end(verified.map(isVerified(ok) ? plain : colours.red));
  const troubles = troublesOf(plan, ok);
  for (const [i, wordings] of troubles.entries()) {
    const whole = wrap(wordings[0] ?? '', width, '  ');
    const fits = whole.length <= Math.min(maxLinesEach, foot.left - (troubles.length - 1 - i));
    foot.add(fits ? whole : cut(wordings.at(-1) ?? '', width, 1), colours.red);
  }
  // If the table marks no rows, the sentence about flags is the only sign of a disturbance, so a line is reserved for it.
  const reserved = options.isMostlyFlagged === true ? 1 : 0;
  const mainLines = Math.min(maxLinesEach, foot.left - reserved);
  const mainWordings = main ?? averageWordings(groups);
  if (mainLines > 0) foot.add(fittingWording(mainWordings, width, mainLines));
  else if (mainWordings.length > 0) foot.omitted += 1;
  for (const [wordings, paint, lines] of precisionAndFlags(options, ok, foot.left, width, colours))
    foot.add(fittingWording(wordings, width, lines), paint);
  for (const text of [...notes, input.resumed ?? '', retriedLegend(options)])
    if (text !== '') foot.add(fittingWording([text], width));
  return foot.all();
}

/**
 * Returns the sentences that compare series, most important first, each with its shorter wordings. Callers print only the first
 * sentence.
 */
function mainSentences(run: SeriesSource, groups: readonly SeriesGroup[]): TextVariants[] {
  // Users asked for groups of ranks, loads and a bound by options, so the sentences about these come first.
  const { bounds, sideBySide, comparisons, fastest } = summarySentences(run);
  const brief = comparisonSentences(groups, { caveat: 'emulated against hardware' });
  return [
    ...[...bounds, ...sideBySide, ...overlapSentences(groups)].map((text) => [`${text}.`]),
    ...comparisons.map((text, i) => [`${text}.`, `${brief[i]}.`]),
    ...fastest.map((text) => [text]),
  ];
}

function averageWordings(groups: readonly SeriesGroup[]): TextVariants {
  const [[text], [brief]] = [averageSentences(groups), averageSentences(groups, true)];
  return text === undefined || brief === undefined ? [] : [text, brief];
}

/**
 * Returns sentences about problems, each with a shorter wording: wrong data, transports that byte counters do not confirm, uneven
 * use of a host's adapters, planned configurations without a result (failed, skipped or not run).
 */
function troublesOf(plan: RunPlan, ok: readonly OkCell[]): TextVariants[] {
  const [wrong] = wrongDataSentences(plan, ok);
  const [briefWrong = ''] = wrongDataSentences(plan, ok, true);
  const missing = missingSentence(plan.expected.cells, ok);
  const isDoubtful = ({ transport }: OkCell) =>
    ok.some((cell) => cell.transport === transport && cell.evidence.verdict !== 'confirmed');
  const doubtful = ok.filter(isDoubtful);
  return [
    ...(wrong === undefined ? [] : [[wrong, briefWrong]]),
    ...(doubtful.length === 0 || plan.imported !== undefined
      ? []
      : [[evidenceSentence(doubtful, plan), evidenceSentence(doubtful, plan, true)]]),
    ...(ok.some(({ flags }) => flags.some(({ name }) => name === 'uneven-rails'))
      ? [[railsSentence(ok)]]
      : []),
    ...(missing === '' ? [] : [[missing]]),
  ];
}

/**
 * Returns sentences about precision and flags, with shorter wordings, colour and maximum number of lines. Both share a line if they
 * fit into it or if only one line is free; otherwise each has its own, and precision leaves one for the flags.
 * @param room number of free lines
 */
function precisionAndFlags(
  { plan, isMostlyFlagged = false }: HeadOptions,
  ok: readonly OkCell[],
  room: number,
  width: number,
  { yellow }: Colors,
): [TextVariants, TextPaint, lines: number][] {
  const precision = briefPrecision(ok, plan);
  const flagged = flagSentence(ok);
  const mark = isMostlyFlagged ? '' : '! ';
  const [flags, brief] = flagged === '' ? ['', ''] : [mark + flagged, mark + flagSentence(ok, true)];
  if (precision === '' || flags === '')
    return precision + flags === ''
      ? []
      : [[[precision + flags], flags === '' ? plain : yellow, maxLinesEach]];
  const both = `${precision} · ${flags}`;
  const width95 = typicalWidth(ok, plan);
  const typical = width95 === '' ? precision : `precision: ${width95}`;
  if (both.length <= width || room < 2)
    return [[[both, `${typical} · ${flags}`, `${typical} · ${brief}`, brief], yellow, 1]];
  const precisionLines = Math.min(maxLinesEach, room - 1);
  return [
    [precisionLines === 1 ? [precision, typical] : [precision], plain, precisionLines],
    [[flags, brief], yellow, 1],
  ];
}

function verifiedLines(input: FootInput, ok: readonly OkCell[], width: number): string[] {
  const verified = verificationSentence(ok, true);
  const [named, counted] = [evidenceText(ok), evidenceText(ok, true)];
  const time = ` · ${formatDuration(input.elapsedS)}`;
  // Transports that byte counters do not confirm are named in a line of their own, above.
  return fittingWording(
    [verified + named + time, verified + counted + time, verified + counted, verified],
    width,
  );
}
