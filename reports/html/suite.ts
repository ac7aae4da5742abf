// The HTML page of a suite: verdict of the gate, comparisons, and links to every run.
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { SuiteEntry, SuiteRecord, SuiteRun } from '../../results/schema/index.ts';
import { StoreError } from '../../results/store/errors.ts';
import { openRun } from '../../results/store/read.ts';
import { isMeasuring } from '../../suites/workloads/index.ts';
import { averages, type ChartFigure, chartsOf, figuresOfChart } from '../charts/index.ts';
import { type DocumentBlock, type DocumentText, type TextPart, tableOf } from '../document/blocks.ts';
import { pageMarkup } from '../document/page.ts';
import { gateDocument } from '../gate/gate.ts';
import { chaptersOf } from '../report-chapters.ts';
import { groupsOf, type ReportRun, type SeriesGroup } from '../series.ts';
import { steps } from '../steps/chart.ts';
import { partGroups } from '../steps/variants.ts';
import { suiteAnswers } from '../suite-answers.ts';
import { findingDocument } from '../suite-findings.ts';
import { fit } from '../terminal/columns.ts';
import { againstReference } from '../topics/against-reference.ts';
import { boundShare } from '../topics/bound-share.ts';
import { topicBlocks } from '../topics/topic.ts';
import { plural } from '../wording.ts';
import { html, type SafeHtml } from './markup.ts';
import { document } from './page.ts';
import { drawer } from './sections.ts';
import { writeWhole } from './write.ts';

/**
 * Writes report.html into the suite's folder `dir`. It links to the reports of those runs of the suite that have one. Runs that
 * cannot be read are left out of the charts.
 * @returns path of the page, and the main results as document blocks
 * @throws StoreError if the page cannot be written
 */
export async function writeSuitePage(
  record: SuiteRecord,
  dir: string,
): Promise<{ page: string; answers: DocumentBlock[] }> {
  const file = path.join(dir, 'report.html');
  const groups = groupsOf(await runsOf(record, dir));
  const answers = suiteAnswers(groups);
  await writeWhole(
    file,
    suitePage(
      record,
      ({ folder }) => existsSync(path.join(dir, folder, 'report.html')),
      await chartsSection(groups),
      answers,
    ),
  );
  return { page: file, answers };
}

/**
 * Returns the page of a suite as HTML text. Links to run folders are relative to the suite's folder.
 * @param hasReport returns true if this run's folder contains a report.html, to which the page then links
 * @param charts HTML with the charts of all runs
 * @param answers main results as document blocks, from `suiteAnswers`
 */
export function suitePage(
  record: SuiteRecord,
  hasReport: (run: SuiteRun) => boolean,
  charts: SafeHtml = html``,
  answers: readonly DocumentBlock[] = [],
): string {
  const { name, title, id, startedAt, gate } = record;
  const heading = title === name ? `Suite ${name}` : title;
  const body = html`<main>
<h1>${heading}</h1>
<p class="byline">suite ${name}, ${id}, ${startedAt.slice(0, 16).replace('T', ' ')} UTC</p>
${pageMarkup([...(gate === null ? [] : gateDocument(gate)), ...findingDocument(record, answers)])}
${charts}
${pageMarkup(entriesAndCommand(record, hasReport))}
</main>`;
  return document(heading, body);
}

/**
 * Returns two sections: a table of the suite's entries with their runs, and the command and files with which the suite can be
 * repeated.
 * @param hasReport returns true if this run's folder contains a report.html, to which the table then links
 */
function entriesAndCommand(
  { entries, files, command }: SuiteRecord,
  hasReport: (run: SuiteRun) => boolean,
): DocumentBlock[] {
  const isBad = ({ status, optional }: SuiteEntry): boolean =>
    !(status === 'measured' || status === 'not-needed' || (status === 'cannot-run' && optional));
  const table = tableOf<SuiteEntry>(
    [
      { head: 'entry', cell: ({ name }) => name },
      { head: 'state', cell: ({ status }) => status.replaceAll('-', ' ') },
      { head: 'configurations', align: 'right', cell: ({ cells }) => `${cells.measured}/${cells.expected}` },
      {
        head: 'runs',
        cell: (entry) => (isLong(entry) ? `${entry.runs.length} runs` : runLinks(entry, hasReport)),
      },
    ],
    entries,
    { caption: `${plural(entries.length, 'entry', 'entries')}; each run is kept as any other.` },
    (entry) => ({ isBad: isBad(entry) }),
  );
  const long = entries.filter(isLong).map(
    (entry): DocumentBlock => ({
      kind: 'folded',
      summary: `Runs of ${entry.name}`,
      body: [{ kind: 'paragraph', text: runLinks(entry, hasReport) }],
    }),
  );
  const hashes = files.map(({ name, sha256 }) => [name, `sha256 ${sha256}`] as const);
  return [
    { kind: 'section', title: 'Entries', body: [table, ...long, reasons(entries)] },
    {
      kind: 'section',
      title: 'How to reproduce',
      body: [
        { kind: 'command', text: command.join(' ') },
        { kind: 'facts', facts: hashes },
      ],
    },
  ];
}

/** Maximum number of characters of a reason on the page; the file suite.json has the full text. */
const reasonLength = 300;

/** True if an entry has so many runs that their links are listed below the table instead of in it. */
const isLong = ({ runs }: SuiteEntry): boolean => runs.length > 10;

/**
 * Returns links to the runs of an entry; the id alone for a run without report, "none" without runs. If all runs have the same
 * purpose, the links are only run ids. Otherwise they are grouped: "tonight ... · anchor ... · tonight again ...". Anchor means
 * runs of the reference build, again means the second measurement.
 */
function runLinks({ runs }: SuiteEntry, hasReport: (run: SuiteRun) => boolean): DocumentText {
  if (runs.length === 0) return 'none';
  const purposeOf = ({ arm, pass }: SuiteRun): string => (pass === 'again' ? `${arm} again` : arm);
  const purposes = [...new Set(runs.map(purposeOf))];
  return purposes.flatMap((purpose, i): TextPart[] => {
    const links = runs.filter((run) => purposeOf(run) === purpose).map((run) => runLink(run, hasReport(run)));
    return [
      ...(i === 0 ? [] : [' · ']),
      ...(purposes.length === 1 ? [] : [`${purpose} `]),
      ...links.flatMap((link, j) => (j === 0 ? [link] : [' ', link])),
    ];
  });
}

const runLink = ({ id, folder }: SuiteRun, isThere: boolean): TextPart =>
  isThere ? { link: `${encodeURI(folder)}/report.html`, text: id } : id;

function reasons(entries: readonly SuiteEntry[]): DocumentBlock {
  const items = entries.flatMap(({ name, reason, leftOut }) => [
    ...(reason === null ? [] : [`${name}: ${fit(reason, reasonLength)}`]),
    ...leftOut.map(({ transport, reason: why }) => `${name} without ${transport}: ${fit(why, reasonLength)}`),
  ]);
  return { kind: 'list', title: '', items };
}

// Charts on the HTML page of a suite: averages, each operation over its sizes, and speed-ups of runs that differ in their rank
// count.
/**
 * Maximum number of panels (charts for one rank count) on a suite's page. If there are more operations, each still gets its first
 * panel. Only the reports of the runs have the other panels.
 */
const maxCharts = 6;

/**
 * Returns the last run of each suite entry whose command measures, without runs that cannot be read and runs of the reference
 * build.
 * @throws errors other than `StoreError`
 */
async function runsOf({ entries }: SuiteRecord, dir: string): Promise<ReportRun[]> {
  const found: ReportRun[] = [];
  for (const { command, runs } of entries) {
    const last = runs.findLast(({ arm }) => arm === 'tonight');
    if (last === undefined || !isMeasuring(command)) continue;
    try {
      found.push(await openRun(path.join(dir, last.folder)));
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  }
  return found;
}

/**
 * Returns the main chart of each operation as a list of panels (charts for one rank count). If any operation has timed steps,
 * returns only the charts of these steps.
 */
function mainCharts(groups: readonly SeriesGroup[]): ChartFigure[][] {
  const parted = partGroups(groups).flatMap((group) => steps.draw(group) ?? []);
  if (parted.length > 0) return parted.map((figure) => [figure]);
  return chaptersOf(groups).map(({ group }) => {
    const [chart] = chartsOf(group.row);
    return chart === undefined ? [] : figuresOfChart(chart, group).map(({ figure }) => figure);
  });
}

/**
 * Limits the number of panels (charts for one rank count) to `maxCharts`, but each operation keeps its first panel. Second panels of
 * operations go before third ones, and so on. The order of operations is kept.
 */
function limitPanels<T>(operations: readonly (readonly T[])[]): T[] {
  const byRound = operations
    .flatMap((panels, operation) => panels.map((panel, round) => ({ panel, round, operation })))
    .sort((a, b) => a.round - b.round);
  const firsts = byRound.filter(({ round }) => round === 0).length;
  return byRound
    .slice(0, Math.max(maxCharts, firsts))
    .sort((a, b) => a.operation - b.operation || a.round - b.round)
    .map(({ panel }) => panel);
}

/**
 * The topics that the page shows, above its charts: how near times are to the bound, and what uneven traffic between the ranks
 * costs. The gate and the findings stand above them.
 */
const comparisons = [boundShare, againstReference];

/**
 * Returns comparisons and charts of the suite's runs as HTML: averages, the main chart of each operation, and speed-ups of runs
 * that differ in rank count. Empty if no run can be read.
 */
async function chartsSection(groups: readonly SeriesGroup[]): Promise<SafeHtml> {
  const over = mainCharts(groups);
  const shown = limitPanels(over);
  const more = over.flat().length - shown.length;
  const charts = [...averages(groups), ...shown];
  const speedups = groups.flatMap((group) => {
    const figure = chartsOf(group.row)
      .find(({ id }) => id === 'speedup')
      ?.draw(group);
    return figure == null ? [] : [figure];
  });
  const { draw, fill } = drawer(undefined, false);
  const rest = more > 0 ? html`<p>${plural(more, 'more chart')} in the reports of the runs.</p>` : '';
  const { body } = await fill(html`${pageMarkup(topicBlocks('page', groups, comparisons))}
${charts.length === 0 ? '' : html`<section><h2>Charts</h2>${charts.map(draw)}${rest}</section>`}
${speedups.length === 0 ? '' : html`<section><h2>Scaling</h2>${speedups.map(draw)}</section>`}`);
  return body;
}
