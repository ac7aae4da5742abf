// The page of a suite: verdict, comparisons, and links to every run.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { regimeText } from '../../results/derive/cell-group.ts';
import type { GateResult, SuiteEntry, SuiteRecord, SuiteRun } from '../../results/schema/index.ts';
import { flagsSentence } from '../cell-flags.ts';
import {
  canDetect,
  type DetectionRow,
  detectionRegimes,
  detectionRows,
  noneDetectable,
} from '../gate/detection.ts';
import { changeTexts, type TroubleLine, troubleLines } from '../gate/gate.ts';
import { hiddenOf, openText } from '../gate/gate-open.ts';
import { type SuiteFindingRow, suiteFindingSentence, suiteFindingTable } from '../suite-findings.ts';
import { plural } from '../wording.ts';
import { factList, html, type SafeHtml, table } from './markup.ts';
import { document } from './page.ts';
import { chartsSection } from './suite-charts.ts';
import { writeWhole } from './write.ts';

/**
 * Writes report.html into the suite's folder. It links to those reports of the suite's runs that exist.
 * @returns path of the page
 */
export async function writeSuitePage(record: SuiteRecord, dir: string): Promise<string> {
  const file = path.join(dir, 'report.html');
  await writeWhole(
    file,
    suitePage(
      record,
      ({ folder }) => existsSync(path.join(dir, folder, 'report.html')),
      await chartsSection(record, dir),
    ),
  );
  return file;
}

/**
 * Returns the page of a suite as HTML text. Links to run folders are relative to the suite's folder.
 * @param hasReport returns true if this run's folder contains a report.html, to which the page then links
 * @param charts markup with the charts of all runs (suite-charts.ts)
 */
export function suitePage(
  record: SuiteRecord,
  hasReport: (run: SuiteRun) => boolean,
  charts: SafeHtml = html``,
): string {
  const { name, title, id, startedAt, entries, files, command } = record;
  const heading = title === name ? `Suite ${name}` : title;
  const body = html`<main>
<h1>${heading}</h1>
<p class="byline">suite ${name}, ${id}, ${startedAt.slice(0, 16).replace('T', ' ')} UTC</p>
${verdict(record)}
${figures(record)}
${charts}
<section><h2>Entries</h2>
${table<SuiteEntry>(
  html`${plural(entries.length, 'entry', 'entries')}; each run is kept as any other.`,
  [
    { head: 'entry', cell: ({ name: entry }) => entry },
    { head: 'state', cell: ({ status }) => status.replaceAll('-', ' ') },
    { head: 'configurations', number: true, cell: ({ cells }) => `${cells.measured}/${cells.expected}` },
    {
      head: 'runs',
      cell: (entry) => (isLong(entry) ? `${entry.runs.length} runs` : runLinks(entry, hasReport)),
    },
  ],
  entries,
  ({ status, optional }) =>
    status === 'measured' || status === 'not-needed' || (status === 'cannot-run' && optional) ? '' : 'bad',
)}
${entries.filter(isLong).map((entry) => html`<details><summary>Runs of ${entry.name}</summary><p>${runLinks(entry, hasReport)}</p></details>`)}
${reasons(entries)}
</section>
<section><h2>How to reproduce</h2>
<pre>${command.join(' ')}</pre>
${factList(files.map(({ name: file, sha256 }) => [file, `sha256 ${sha256}`] as const))}
</section>
</main>`;
  return document(heading, body);
}

/**
 * Returns whether the suite works on this machine, and a table with two results per series: at its smallest and its largest
 * size. Empty until the suite has ended, and for older files.
 */
function figures({ found }: SuiteRecord): SafeHtml {
  if (found === undefined) return html``;
  const { heads, rows } = suiteFindingTable(found, 'µs');
  return html`<div class="${found.verdict === 'works' ? 'lead' : 'warn'}"><p><b>${suiteFindingSentence(found)}</b></p></div>
${found.problems.length === 0 ? '' : html`<ul>${found.problems.map((text) => html`<li>${clipped(text)}</li>`)}</ul>`}
${
  rows.length === 0
    ? ''
    : foldedRows(
        rows.length,
        table<SuiteFindingRow>(
          'Figures: smallest and largest size of each series, ± half of the 95 % interval.',
          [
            { head: 'series', cell: ({ title }) => title },
            { head: 'transport', cell: ({ transport }) => transport },
            { head: heads.small, number: true, cell: ({ small }) => small },
            { head: heads.large, number: true, cell: ({ large }) => large },
          ],
          rows,
        ),
      )
}`;
}

/** Returns a table collapsed if it is long, so that the charts stay near the top of the page. @param rows number of its rows */
const foldedRows = (rows: number, body: SafeHtml): SafeHtml =>
  rows <= maxOpenRows
    ? body
    : html`<details><summary>Figures of all ${rows} series</summary>${body}</details>`;
const maxOpenRows = 24;

function verdict({ gate }: SuiteRecord): SafeHtml {
  if (gate === null) return html``;
  const { sentence, reference, failures, advice, notes = [], verdict: word } = gate;
  const flagged = flagsSentence(gate.flags);
  const hidden = hiddenOf(gate);
  const changed = changeTexts(gate, '→');
  return html`<div class="${word === 'pass' ? 'lead' : 'warn'}"><p><b>${sentence}</b></p>
${reference === null ? '' : html`<p>${reference.method}</p>`}
${[...(flagged === '' ? [] : [flagged]), ...notes].map((text) => html`<p>${text}.</p>`)}
${advice.map((text) => html`<p>Advice: ${text}</p>`)}</div>
${failures.length === 0 ? '' : html`<ul>${failures.map((failure) => html`<li>${failure.sentence}</li>`)}</ul>`}
${troubleTable(troubleLines(gate, hidden))}
${hidden.length === 0 ? '' : html`<details><summary>${openText(gate, hidden)}</summary>${troubleTable(troubleLines({ ...gate, groups: hidden, cells: [] }))}</details>`}
${sees(gate)}
${changed.length === 0 ? '' : html`<p>Other differences:</p><ul>${changed.map((text) => html`<li>${text}</li>`)}</ul>`}`;
}

function troubleTable(lines: readonly TroubleLine[]): SafeHtml {
  if (lines.length === 0) return html``;
  return table(
    'Differences from the reference. Times, so + is slower; [ ] is the 95 % interval between launches, ( ) the lowest and highest launch. “detectable”: the smallest change that would be detected with 80 % power.',
    [
      { head: 'time', cell: (line) => line.change },
      { head: 'entry and series', isLong: true, cell: (line) => `${line.entry}: ${line.what}` },
      { head: 'sizes', cell: (line) => line.sizes },
      { head: 'verdict', isLong: true, cell: (line) => line.verdict },
      { head: 'detectable', cell: (line) => line.detectable },
    ],
    lines,
  );
}

/** Returns a table with the smallest changes that the gate would have detected in each size range. */
function sees(gate: GateResult): SafeHtml {
  const rows = detectionRows(gate);
  if (rows.length === 0) return html``;
  if (!canDetect(gate)) return html`<p>${noneDetectable}.</p>`;
  const figure = (regime: keyof DetectionRow['sees']) => ({
    head: regimeText[regime],
    number: true,
    cell: (row: DetectionRow) => row.sees[regime] ?? '',
  });
  return table<DetectionRow>(
    'Smallest change of a size range that would be detected with 80 % power, from the scatter of these launches.',
    [
      { head: 'entry', cell: ({ entry }) => entry },
      ...detectionRegimes(rows).map(figure),
      { head: 'series', isLong: true, cell: ({ series }) => series },
    ],
    rows,
  );
}

/** Maximum letters of a reason on the page; the file suite.json has the whole text. */
const reasonLength = 300;
const clipped = (text: string): string =>
  text.length <= reasonLength ? text : `${text.slice(0, reasonLength)}…`;

/** True if an entry has so many runs that their links are listed below the table instead of in it. */
const isLong = ({ runs }: SuiteEntry): boolean => runs.length > 10;

/**
 * Returns links to the runs of an entry. If all runs have the same purpose, the links are only run ids. Otherwise they are
 * grouped: "tonight ... · anchor ... · tonight again ...", where anchor = runs of the reference build, again = second
 * measurement.
 */
function runLinks({ runs }: SuiteEntry, hasReport: (run: SuiteRun) => boolean): SafeHtml {
  if (runs.length === 0) return html`none`;
  const purposeOf = ({ arm, pass }: SuiteRun): string => (pass === 'again' ? `${arm} again` : arm);
  const purposes = [...new Set(runs.map(purposeOf))];
  return html`${purposes.map((purpose, i) => {
    const links = runs.filter((run) => purposeOf(run) === purpose).map((run) => runLink(run, hasReport(run)));
    const name = purposes.length === 1 ? '' : `${purpose} `;
    return html`${i === 0 ? '' : ' · '}${name}${links.map((link, j) => html`${j === 0 ? '' : ' '}${link}`)}`;
  })}`;
}

const runLink = ({ id, folder }: SuiteRun, isThere: boolean): SafeHtml =>
  isThere ? html`<a href="${encodeURI(folder)}/report.html">${id}</a>` : html`${id}`;

function reasons(entries: readonly SuiteEntry[]): SafeHtml {
  const told = entries.flatMap(({ name, reason, leftOut }) => [
    ...(reason === null ? [] : [`${name}: ${clipped(reason)}`]),
    ...leftOut.map(({ transport, reason: why }) => `${name} without ${transport}: ${clipped(why)}`),
  ]);
  return told.length === 0 ? html`` : html`<ul>${told.map((text) => html`<li>${text}</li>`)}</ul>`;
}
