import type { Background } from '../../results/background.ts';
import { type TransportPlan, transportOf } from '../../results/schema/index.ts';
import { type FirstScreenQuestion, questionsOf } from '../first-screen/answers.ts';
import { badgesOf } from '../first-screen/badges.ts';
import type { SeriesHeadline } from '../first-screen/headlines.ts';
import { bundleSentence, importedSentence } from '../imported.ts';
import { nounOf } from '../rows.ts';
import { isOk, type ReportRun, type SeriesGroup, xPhrase, xsOf } from '../series.ts';
import { ranksPhrase, ranksPhrases } from '../summary.ts';
import {
  capitalise,
  fakeGpus,
  joinTitles,
  joinWords,
  keepUnits,
  longDate,
  plural,
  sentence,
  sentenceWithNames,
  shortTransport,
  transportLabel,
} from '../wording.ts';
import { isFake } from './device.ts';
import { headlineTable } from './headline-table.ts';
import { html, type SafeHtml } from './markup.ts';

/**
 * Returns the page title, made of operations and transports: "Allreduce over socket and sisci (emulated)". More than three
 * operations are counted; the number of runs precedes it if there are several.
 */
export function reportTitle(runs: readonly ReportRun[], groups: readonly SeriesGroup[]): string {
  const whats = [...new Set(groups.map((g) => g.what))];
  const what = whats.length > 3 ? plural(whats.length, nounOfGroups(groups)) : joinWords(whats);
  const title = `${what} over ${overWords(runs, (t) => shortTransport(t.name) + emulatedWord(t))}`;
  return (runs.length > 1 ? `${plural(runs.length, 'run')}: ` : '') + capitalise(title);
}

const emulatedWord = ({ medium }: TransportPlan): string => (medium === 'emulated' ? ' (emulated)' : '');

/** Maximum number of transport names in a title; more would fill the screen. */
const maxNames = 4;

/**
 * Returns the transports' names for a title: "socket and sisci". If there are more than four names because a transport was measured
 * with many algorithms and protocols, it counts them: "p2p with 6 choices".
 * @param named returns the name of a transport
 */
function overWords(runs: readonly ReportRun[], named: (transport: TransportPlan) => string): string {
  const transports = runs.flatMap(({ record }) => record.plan.transports);
  const names = [...new Set(transports.map(named))];
  if (names.length <= maxNames) return joinWords(names);
  const choices = new Map<string, Set<string>>();
  for (const one of transports) {
    const plain = transportOf(one) + emulatedWord(one);
    choices.set(plain, (choices.get(plain) ?? new Set()).add(named(one)));
  }
  return joinWords(
    [...choices].map(([plain, { size }]) => (size === 1 ? plain : `${plain} with ${size} choices`)),
  );
}

/**
 * Returns ranks, host names, dates, ids and labels of the runs as one text, with the state of runs that are not complete; a
 * summary for more than three runs.
 */
export function byline(runs: readonly ReportRun[]): string {
  if (runs.length > maxBylines) return shortByline(runs);
  return runs
    .map(({ record }) => {
      const hosts = Object.values(record.inventory).map((i) => i.hostname);
      const where = hosts.length > 0 ? ` on ${joinWords(hosts)}` : '';
      const isOurs = record.plan.imported === undefined && record.bundle === undefined;
      const how = isOurs ? '' : record.plan.imported?.format === 'record' ? ', recorded' : ', imported';
      return `${ranksPhrase(record.plan)}${where === '' ? '' : `, measured${where}`}${how}, ${longDate(record.startedAt)} · run ${record.id}${record.label === undefined ? '' : ` '${record.label}'`}${stateWord(record.state)}`;
    })
    .join(' — ');
}

/**
 * Maximum number of runs that the first screen names. With more it shows a summary of the runs, and the last chapter names them.
 */
const maxBylines = 3;

/**
 * Returns a summary for more than three runs: number, ranks, hosts, dates, and states other than "complete". "15 runs, ...,
 * measured on vm, from 28 November 2026, 16:27 UTC to 28 November 2026, 16:30 UTC".
 */
function shortByline(runs: readonly ReportRun[]): string {
  const hosts = [
    ...new Set(runs.flatMap(({ record }) => Object.values(record.inventory).map((i) => i.hostname))),
  ];
  const starts = runs.map(({ record }) => record.startedAt).sort();
  const states = [...new Set(runs.map(({ record }) => stateWord(record.state)))].filter((one) => one !== '');
  const ranks = ranksPhrases(runs.map(({ record }) => record.plan));
  return `${plural(runs.length, 'run')}, ${ranks}${hosts.length === 0 ? '' : `, measured on ${joinWords(hosts)}`}, from ${longDate(starts[0] ?? '')} to ${longDate(starts.at(-1) ?? '')}${states.join('')}`;
}

function stateWord(state: string): string {
  return state === 'complete' ? '' : ` (${state})`;
}

/**
 * Returns the part of the report that is visible without scrolling: what was measured, main figures, questions with answers, and
 * the main chart.
 * @param headlines main results of each series
 * @param background earlier runs with which this run is compared
 * @param chart HTML of the main chart
 * @param chapters ids of existing chapters, to which links may lead
 */
export function firstScreen(
  runs: readonly ReportRun[],
  groups: readonly SeriesGroup[],
  headlines: readonly SeriesHeadline[],
  background: Background,
  chart: SafeHtml,
  chapters: ReadonlySet<string>,
): SafeHtml {
  const questions = questionsOf(runs, groups, headlines, background);
  const names = [
    ...headlines.map(({ series }) => series.name),
    ...runs.flatMap(({ record }) => record.plan.transports.map(({ name }) => shortTransport(name))),
  ];
  return html`<header class="opening">
<h1>${reportTitle(runs, groups)}</h1>
<p class="byline">${byline(runs)}</p>
<p class="standfirst">${measured(runs, groups)}${provenance(runs)}</p>
<ul class="badges" aria-label="Whether the figures can be trusted">${badgesOf(runs).map(
    ({ kind, text, to }) => html`<li class="is-${kind}">${linked(text, to, chapters)}</li>`,
  )}</ul>
${alarms(runs)}
<div class="glance">
<div class="words">
${headlineTable(headlines, chapters)}
${answers(questions, chapters, names)}
</div>
<div class="hero">${chart}</div>
</div>
</header>`;
}

const linked = (text: string, to: string, chapters: ReadonlySet<string>): SafeHtml =>
  chapters.has(to) ? html`<a href="#${to}">${text}</a>` : html`${text}`;

/**
 * Returns the questions with their answers as an HTML list.
 * @param chapters ids of existing chapters, to which links may lead
 * @param names names of transports and series: a sentence that begins with one of them keeps its lower-case letter
 */
function answers(
  questions: readonly FirstScreenQuestion[],
  chapters: ReadonlySet<string>,
  names: readonly string[],
): SafeHtml {
  return html`<dl class="answers">${questions.map(
    ({ question, word, texts, to }) =>
      html`<dt>${linked(question, to, chapters)}</dt><dd>${word === '' ? '' : html`<b>${word}.</b> `}${keepUnits(texts.map((text) => sentenceWithNames(text, names)).join(' '))}</dd>\n`,
  )}</dl>`;
}

/**
 * Returns sentences about the source of the results, for runs imported from other programs or unpacked from a bundle (a run folder
 * packed on another machine); '' for other runs.
 */
function provenance(runs: readonly ReportRun[]): string {
  return runs
    .flatMap((run) => [
      bundleSentence(run.record),
      importedSentence(run),
      ...(run.record.plan.imported?.says ?? []),
    ])
    .filter((text) => text !== '')
    .map((text) => ` ${sentence(text)}`)
    .join('');
}

function measured(runs: readonly ReportRun[], groups: readonly SeriesGroup[]): string {
  const record = runs[0]?.record;
  if (record === undefined) return 'Nothing was measured.';
  const titles = groups.map((g) => g.title);
  const what =
    titles.length > 5
      ? `${plural(titles.length, 'series', 'series')} of ${nounOfGroups(groups)}s`
      : joinTitles(titles);
  const sizes = joinWords(xPhrases(groups));
  const engines = joinWords([...new Set(runs.map((r) => r.record.plan.engine))]);
  const verb = titles.length > 1 ? 'were' : 'was';
  return sentence(
    `${what} ${verb} measured with the ${engines} engine at ${sizes}, over ${overWords(runs, transportLabel)}`,
  );
}

const nounOfGroups = (groups: readonly SeriesGroup[]): string => nounOf(groups.map(({ row }) => row));

/** Returns the number and range of the planned x values, one text per noun of the x axes: "8 sizes from 8 B to 1 GiB". */
function xPhrases(groups: readonly SeriesGroup[]): string[] {
  const nouns = new Map(groups.map(({ x }) => [x.noun, x]));
  return [...nouns].map(([noun, x]) =>
    xPhrase(
      x,
      groups.filter((group) => group.x.noun === noun).flatMap(({ series }) => xsOf(series)),
    ),
  );
}

/**
 * Returns warnings at the top of the page about fake GPUs, wrong data, contradicted transports, failures and problems in the
 * run's files; empty if there are none.
 */
function alarms(runs: readonly ReportRun[]): SafeHtml {
  const ok = runs.flatMap((r) => r.cells.filter(isOk));
  const wrong = ok.filter((c) => c.verification.wrongElements > 0).length;
  const contradicted = ok.filter((c) => c.evidence.verdict === 'contradicted').length;
  const failures = runs.flatMap((r) => r.record.failures);
  const lines = [
    runs.some(isFake) ? `${capitalise(fakeGpus)}.` : '',
    wrong > 0 ? `Wrong data in ${plural(wrong, 'configuration')}: their times are invalid.` : '',
    contradicted > 0
      ? `In ${plural(contradicted, 'configuration')} the byte counters contradict the requested transport.`
      : '',
    ...failures.map((f) => `${f.message}.`),
    ...runs.flatMap((r) => r.warnings.map((w) => `${w}.`)),
  ].filter((l) => l !== '');
  if (lines.length === 0) return html``;
  return html`<div class="warn">${lines.map((l) => html`<p>${l}</p>`)}</div>`;
}
