import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Background, emptyBackground } from '../../results/background.ts';
import { packageFile } from '../../results/package.ts';
import type { Topology } from '../../results/topology/index.ts';
import { type ChartFigure, chartsOf, figuresOfChart } from '../charts/index.ts';
import { distributionsOf } from '../distributions.ts';
import { addCaptionNotes, shortenCaption } from '../figure-notes.ts';
import { headlinesOf } from '../first-screen/headlines.ts';
import { recordedPage } from '../recording/page.ts';
import { chaptersOf } from '../report-chapters.ts';
import type { ReportRun, RunTopologies, SeriesGroup } from '../series.ts';
import { groupsOf } from '../series.ts';
import { steps } from '../steps/chart.ts';
import { findGroupWithSteps } from '../steps/variants.ts';
import { connectionSection } from '../topology/section.ts';
import { sectionsOf } from './chapters.ts';
import type { RenderedFigure, TitledPage } from './figure.ts';
import { firstScreen, reportTitle } from './first-screen.ts';
import { html, type SafeHtml, trustHtml } from './markup.ts';
import { pairsPage } from './pairs.ts';
import { contents, drawer, idsOf } from './sections.ts';
import { style } from './style.ts';

/**
 * Returns the report as one self-contained HTML page, and its charts, which callers also write as files beside it. A single run of
 * pairs of hosts, or a single recorded job, has a page of another kind. Rejects if a chart cannot be drawn, or if `recorded` or
 * `explanation` of a single run rejects.
 * @param background earlier runs with which this run is compared: the last comparable run, and recorded runs of similar machines
 */
export async function buildPage(
  runs: readonly ReportRun[],
  background: Background = emptyBackground,
): Promise<{ html: string; figures: RenderedFigure[] }> {
  const only = runs.length === 1 ? runs[0] : undefined;
  const whole = ({ title, body, figures }: TitledPage) => ({ html: document(title, body), figures });
  if (only?.record.plan.pairs !== undefined) return whole(await pairsPage(only));
  const recorded = (await only?.recorded?.()) ?? null;
  if (only !== undefined && recorded !== null) return whole(await recordedPage(only, recorded));
  const { topologies, problems } = await topologiesOf(runs);
  const groups = groupsOf(runs, topologies);
  const { draw, fill } = drawer(await distributionsOf(runs));
  const isParted = findGroupWithSteps(groups) !== null;
  const first = firstFigure(groups);
  // The chapter that links to this chart explains how to read it, so a short caption is enough here. A chart of steps is shown only
  // here.
  const chart = draw(first === null || isParted ? first : shortenCaption(first));
  const connected = connections(topologies, problems);
  const headlines = headlinesOf(groups, background);
  const explained = (await only?.explanation?.()) ?? null;
  const sections = await sectionsOf({ runs, groups, headlines, draw, first, connected, explained });
  const body = html`<main>
${firstScreen(runs, groups, headlines, background, chart, new Set(idsOf(sections)))}
${contents(sections)}
</main>`;
  return whole({ title: reportTitle(runs, groups), ...(await fill(body)) });
}

/**
 * Returns the chart of the first screen: the steps of an operation if they were timed. Otherwise it is the first kind of chart of
 * the workload, mostly the rate over size, for the first group of series that has data for it. If none has, other kinds of charts
 * are tried. Null if nothing can be drawn.
 */
function firstFigure(groups: readonly SeriesGroup[]): ChartFigure | null {
  const parted = findGroupWithSteps(groups);
  if (parted !== null) return steps.draw(parted);
  const all = chaptersOf(groups).map(({ group }) => chartsOf(group.row).map((chart) => ({ chart, group })));
  const inOrder = [...all.flatMap((own) => own.slice(0, 1)), ...all.flatMap((own) => own.slice(1))];
  for (const { chart, group } of inOrder) {
    const [first] = figuresOfChart(chart, group);
    if (first !== undefined) return addCaptionNotes(first.figure, first.group, chart);
  }
  return null;
}

/**
 * Reads how devices are connected in the hosts of all runs. If that cannot be read for a run, its error message is added to
 * `problems`.
 */
async function topologiesOf(
  runs: readonly ReportRun[],
): Promise<{ topologies: RunTopologies; problems: string[] }> {
  const topologies = new Map<ReportRun, readonly Topology[]>();
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

/**
 * Returns HTML about how GPUs, adapters and processors are connected inside the hosts; null if nothing is known and `problems` is
 * empty. Hosts with equal connections are shown once.
 * @param problems error messages, shown above the drawings
 */
function connections(topologies: RunTopologies, problems: readonly string[]): SafeHtml | null {
  const machines = new Map([...topologies.values()].flat().map((one) => [JSON.stringify(one), one]));
  const section = connectionSection([...machines.values()]);
  if (problems.length === 0) return section;
  return html`${problems.map((problem) => html`<p>${problem}.</p>`)}${section}`;
}

export function sha256(text: string): string {
  return `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;
}

/**
 * Returns an HTML page as text.
 * @param policy value of the Content-Security-Policy
 * @param head end of the head, after the title
 */
export const htmlDocument = (title: string, policy: string, head: SafeHtml, body: SafeHtml): string =>
  `<!doctype html>
${
  html`<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="collbench">
<title>${title}</title>
${head}
</head>
<body>
${body}
</body>
</html>`.text
}
`;

let pageScript: string | null = null;

/**
 * Returns the JavaScript of all report pages; the file is read once. bin/bundle.mjs builds it from the modules in html/scripts/.
 * @throws Error if the file does not exist
 */
function scriptText(): string {
  pageScript ??= readFileSync(packageFile('dist', 'app', 'page.js'), 'utf8');
  return pageScript;
}

/**
 * Returns an HTML page that loads no other file: style and script are inside it, and its Content-Security-Policy forbids loading.
 */
export function document(title: string, body: SafeHtml): string {
  const script = scriptText();
  const policy = `default-src 'none'; style-src ${sha256(style)}; script-src ${sha256(script)}; img-src data:; base-uri 'none'; form-action 'none'`;
  const head = html`<style>${trustHtml(style)}</style>`;
  return htmlDocument(
    title,
    policy,
    head,
    html`${body}
<script>${trustHtml(script)}</script>`,
  );
}
