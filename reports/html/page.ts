import { createHash } from 'node:crypto';
import type { Topology } from '../../results/topology/index.ts';
import { besidesOf } from '../beside.ts';
import { averages, chartsOf, type Figure, hasAverages } from '../charts/index.ts';
import { distributionsOf } from '../distributions.ts';
import { chaptersOf, fullGroups } from '../merged.ts';
import { steps } from '../parts/chart.ts';
import { partsSection } from '../parts/page.ts';
import { partGroups } from '../parts/variants.ts';
import { nounOf } from '../rows.ts';
import type { Group, ReportedRun, Topologies } from '../series.ts';
import { groupsOf } from '../series.ts';
import { hasMembers } from '../side-by-side.ts';
import { connectionSection } from '../topology/section.ts';
import { capital, plural } from '../wording.ts';
import { besideTable } from './beside.ts';
import { machines, reproduce } from './closing.ts';
import { bestTables, enqueueExplanation } from './device.ts';
import type { DrawnFigure } from './figure.ts';
import { findings } from './findings.ts';
import { type Html, html, trusted } from './markup.ts';
import { meanwhileSection } from './meanwhile.ts';
import { method } from './method.ts';
import { modelsSection } from './models.ts';
import { ncclSection } from './nccl.ts';
import { byline, opening, reportTitle } from './opening.ts';
import { pairsPage } from './pairs.ts';
import { averageTable, cellTable, crossings, sideBySideTable } from './results.ts';
import { script } from './scripts/index.ts';
import { contents, drawer, type Section } from './sections.ts';
import { style } from './style.ts';

/** Of a chapter where there are many series: the page must stay one that can be opened. */
const mostCharts = 2;

export interface Page {
  html: string;
  figures: DrawnFigure[];
}

/** The whole report as one self-contained page, and its figures for the files beside it. */
export async function buildPage(runs: readonly ReportedRun[]): Promise<Page> {
  const [only] = runs;
  if (only?.record.plan.pairs !== undefined && runs.length === 1) {
    const { title, body, figures } = await pairsPage(only);
    return { html: document(title, body), figures };
  }
  const { topologies, problems } = await topologiesOf(runs);
  const groups = groupsOf(runs, topologies);
  const { figures, draw } = drawer(await distributionsOf(runs));
  const mainOf = (group: Group): Figure | null => chartsOf(group.row)[0]?.draw(group) ?? null;
  const chapters = chaptersOf(groups);
  const [parted] = partGroups(groups);
  const main =
    parted === undefined
      ? chapters.map(({ group }) => group).find((group) => mainOf(group) !== null)
      : undefined;
  const first = await draw(
    parted !== undefined ? steps.draw(parted) : main === undefined ? null : mainOf(main),
  );
  const parts = await partsSection(groups, draw);
  const sections: Section[] = parts === null ? [] : [parts];
  let tables = 0;
  for (const { group, of } of chapters) {
    const charts: Html[] = [];
    const drawn = chartsOf(group.row)
      .map((chart) => (chart.isAlone === true ? of : [group]).flatMap((one) => chart.draw(one) ?? []))
      .filter((figures) => figures.length > 0)
      .slice(0, groups.length > fullGroups ? mostCharts : undefined);
    for (const figure of (group === main ? drawn.slice(1) : drawn).flat()) charts.push(await draw(figure));
    const together = hasMembers(group) ? sideBySideTable(group, ++tables) : html``;
    const loads = besidesOf(group).length > 0 ? besideTable(group, ++tables) : html``;
    sections.push({
      id: group.key,
      title: capital(group.title),
      body: html`${of.map(crossings)}${enqueueExplanation(group)}${of.map(bestTables)}${together}${loads}${charts}${folded(cellTable(group, ++tables), group, groups.length)}`,
    });
  }
  const nccl = ncclSection(runs, groups);
  if (groups.some(hasAverages)) {
    const found = averages(groups);
    // Bars of many series would have names cut off; the table has them whole.
    const average = groups.length > fullGroups ? html`` : await draw(found);
    sections.push({
      id: 'averages',
      title: `Averages per ${nounOf(groups.map(({ row }) => row))}`,
      body:
        found === null
          ? html`<p>No size was measured over every transport, so there is no average.</p>`
          : html`${average}${averageTable(groups, ++tables)}`,
    });
  }
  const models = modelsSection(groups, tables + 1);
  if (models !== null) sections.push({ id: 'models', title: 'Models', body: models });
  const meanwhile = await meanwhileSection(runs, draw);
  const connected = connections(topologies, problems);
  sections.push(
    ...(meanwhile === null ? [] : [{ id: 'load', title: 'System load', body: meanwhile }]),
    {
      id: 'findings',
      title: 'Failures and flags',
      body: findings(runs, groups),
    },
    { id: 'method', title: 'Method', body: method(runs, groups) },
    ...(nccl === null ? [] : [{ id: 'nccl', title: 'NCCL', body: nccl }]),
    { id: 'machine', title: 'Hardware and software', body: machines(runs) },
    ...(connected === null ? [] : [{ id: 'connected', title: 'Topology', body: connected }]),
    { id: 'reproduce', title: 'How to reproduce', body: reproduce(runs) },
  );
  const title = reportTitle(runs, groups);
  const body = html`<main>
<h1>${title}</h1>
<p class="byline">${byline(runs)}</p>
${opening(runs, groups)}
${first}
${contents(sections)}
</main>`;
  return { html: document(title, body), figures };
}

/** What cannot be read is no reason to have no report; it is told in its place. */
async function topologiesOf(
  runs: readonly ReportedRun[],
): Promise<{ topologies: Topologies; problems: string[] }> {
  const topologies = new Map<ReportedRun, readonly Topology[]>();
  const problems: string[] = [];
  for (const run of runs) {
    try {
      topologies.set(run, (await run.topologies?.()) ?? []);
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
    }
  }
  return { topologies, problems };
}

/** Several runs may be of the same machines: told once. */
function connections(topologies: Topologies, problems: readonly string[]): Html | null {
  const machines = new Map([...topologies.values()].flat().map((one) => [JSON.stringify(one), one]));
  const section = connectionSection([...machines.values()]);
  if (problems.length === 0) return section;
  return html`${problems.map((problem) => html`<p>${problem}.</p>`)}${section}`;
}

/** With many groups or series the long tables are folded; a single one is read at once. */
function folded(body: Html, group: Group, groups: number): Html {
  const cells = group.series.reduce((n, s) => n + s.slots.length, 0);
  if (groups <= 2 && cells <= 120) return body;
  return html`<details><summary>All ${plural(cells, 'configuration')} of ${group.title}</summary>${body}</details>`;
}

export function sha256(text: string): string {
  return `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;
}

/** A page that stands alone: style and script inside, nothing from elsewhere. */
export function document(title: string, body: Html): string {
  const policy = `default-src 'none'; style-src ${sha256(style)}; script-src ${sha256(script)}; img-src data:; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
${
  html`<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="collbench">
<title>${title}</title>
<style>${trusted(style)}</style>
</head>
<body>
${body}
<script>${trusted(script)}</script>
</body>
</html>`.text
}
`;
}
