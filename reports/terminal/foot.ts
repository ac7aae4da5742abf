import type { Colors } from 'picocolors/types.js';
import { missingP95Reasons, retriedLegend } from '../../results/derive/index.ts';
import {
  type CellRecord,
  headlineNames,
  headlineOf,
  measuredOf,
  type RunPlan,
} from '../../results/schema/index.ts';
import type { DocumentBlock } from '../document/blocks.ts';
import { terminalLines } from '../document/terminal.ts';
import { sweepsOf } from '../fastest-choices.ts';
import { fastestTables, fastestTitle } from '../fastest-tables.ts';
import { overlapSentences } from '../load-overlap.ts';
import { timesOnDevice, workloadRowOf } from '../rows.ts';
import { groupsOfRun, isOk, type SeriesGroup, type SeriesRun, type SeriesSource } from '../series.ts';
import { partLines } from '../steps/document.ts';
import {
  flagSentence,
  intervalSentence,
  isVerified,
  missingSentence,
  noteSentence,
  summarySentences,
} from '../summary.ts';
import { reportTopics } from '../topics/index.ts';
import { type ReportTopic, topicBlocks } from '../topics/topic.ts';
import { formatDuration, plural, wrap } from '../wording.ts';
import type { HeadOptions } from './head.ts';
import { layoutFor } from './layout.ts';
import { wrongDataSentences } from './troubles.ts';

export interface FootInput {
  cells: readonly CellRecord[];
  /** Record of the run; absent if only the plan of the run is known. */
  record?: SeriesRun;
  elapsedS: number;
  /** Path of the report, which is printed as the last line; null or absent = nothing is printed. */
  reportPath?: string | null;
  /** Sentence about waits and resumptions of the run, from courseSentence(); "" or absent for an uninterrupted run. */
  resumed?: string;
  /** Sentences of the run's summary (RunRecord.summary); only the text below a search for slow hosts uses them, as its results. */
  found?: readonly string[];
  /** Topics whose results are printed; default: all topics of reports. */
  topics?: readonly ReportTopic[];
}

/**
 * Maximum number of tables of the fastest algorithm and protocol. More would be longer than the table of the run; the report has
 * all.
 */
const maxSweeps = 4;

/**
 * Returns tables of the fastest algorithm and protocol at each size, with empty lines around them; empty if the run fixed neither.
 * At most four tables are printed; the others are counted.
 */
function fastestLines(groups: readonly SeriesGroup[], width: number, colours: Colors): string[] {
  const sweeps = groups.flatMap(sweepsOf);
  const rest = sweeps.length - maxSweeps;
  const sections = sweeps.slice(0, maxSweeps).map((sweep): DocumentBlock => {
    const over = groups.length > 1 ? `${sweep.group.title}, ` : '';
    return { kind: 'section', title: over + fastestTitle(sweep), body: fastestTables(sweep) };
  });
  const more: DocumentBlock = { kind: 'paragraph', text: `${plural(rest, 'more such table')} in the report` };
  const form = { columns: width, color: colours.isColorSupported };
  const lines = terminalLines(rest > 0 ? [...sections, more] : sections, form);
  return lines.length === 0 ? [] : ['', ...lines, ''];
}

/**
 * Returns the run in the form in which functions on series and sentences expect it. Without a stored record, an empty one with the
 * plan is used.
 */
export const footRun = (plan: RunPlan, { record, cells }: FootInput): SeriesSource => ({
  record: record ?? { id: '', plan, inventory: {}, launches: [] },
  cells,
});

/**
 * Returns the lines printed below a run's table unless only five are wanted (`isBrief`). First come results: averages, steps,
 * comparisons, bounds, enqueue cost, fastest algorithms, groups of ranks, loads, topics. Then follows how reliable they are: wrong
 * data, evidence, rails, precision, flags, missing intervals and configurations. Last come waits and resumptions, data checks,
 * duration, and the report's path. Most of these sentences are also stored in the run's record (`summarise`).
 */
export function footLines(options: HeadOptions, input: FootInput, width: number, colours: Colors): string[] {
  const { plan } = options;
  const ok = input.cells.filter(isOk);
  const lines: string[] = [];
  const say = (text: string, paint: (t: string) => string = String): void => {
    if (text !== '') lines.push(...wrap(text, width, '  ').map(paint));
  };
  const run = footRun(plan, input);
  const groups = groupsOfRun(run);
  const sentences = summarySentences(run);
  for (const sentence of sentences.averages) say(sentence);
  lines.push(...partLines(groups, width, colours), '');
  for (const sentence of sentences.comparisons) say(`${sentence}.`);
  for (const sentence of sentences.bounds) say(`${sentence}.`);
  say(sentences.enqueueBound);
  const best = fastestLines(groups, width, colours);
  lines.push(...(lines.at(-1) === '' ? best.slice(1) : best));
  for (const sentence of sentences.sideBySide) say(`${sentence}.`);
  for (const sentence of overlapSentences(groups)) say(`${sentence}.`);
  const topics = topicBlocks('terminal', groups, input.topics ?? reportTopics);
  lines.push(...terminalLines(topics, { columns: width, color: colours.isColorSupported }));
  const [headline = ''] = plan.workloads.flatMap(headlineNames);
  const isNarrow = timesOnDevice(plan) && layoutFor(plan, width).each.every((c) => c.key !== 'spread');
  if (isNarrow && ok.some((cell) => measuredOf(cell, headline) !== null)) say(intervalSentence(ok, headline));
  for (const text of wrongDataSentences(plan, ok)) say(text, colours.red);
  const isBad = ok.some(({ evidence }) => evidence.verdict === 'contradicted');
  say(sentences.evidence, isBad ? colours.red : undefined);
  say(sentences.rails);
  say(sentences.precision);
  say(sentences.intervals);
  const flags = flagSentence(ok);
  // The "!" stands at the rows of flagged configurations, unless nearly all are flagged.
  say(flags === '' || options.isMostlyFlagged === true ? flags : `! ${flags}`, colours.yellow);
  say(retriedLegend(options));
  say(noteSentence(ok));
  const headlines = ok.map((cell) => headlineOf(workloadRowOf(plan, cell), cell));
  const reasons = headlines.flatMap((one) =>
    one?.interval === null ? [one.intervalReason ?? 'no interval'] : [],
  );
  const [why] = reasons;
  if (why !== undefined)
    say(`no interval for ${plural(reasons.length, 'value')}: ${reasons.length > 1 ? 'e.g. ' : ''}${why}`);
  if (layoutFor(plan, width).each.some(({ key }) => key === 'p95'))
    for (const clause of missingP95Reasons(headlines.filter((one) => one !== null))) say(`p95 -: ${clause}`);
  say(missingSentence(plan.expected.cells, ok), colours.red);
  say(input.resumed ?? '');
  // For an imported run the elapsed time would be that of the import, so it is not printed.
  const time = plan.imported === undefined ? ` · ${formatDuration(input.elapsedS)}` : '';
  say(`${sentences.verified}${time}`, isVerified(ok) ? undefined : colours.red);
  // The path is printed on one line, so that users can copy it.
  if (input.reportPath) lines.push(`report: ${input.reportPath}`);
  return lines;
}
