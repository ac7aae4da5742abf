// Chapters of a report. All reports have the same order; an empty chapter is left out.
import { addAll } from '../../results/collections.ts';
import { cellTable } from '../cell-table.ts';
import {
  averages,
  type ChartFigure,
  chartsOf,
  figuresOfChart,
  type GroupChart,
  hasAverages,
} from '../charts/index.ts';
import { pageMarkup } from '../document/page.ts';
import { addCaptionNotes, restOfCaption } from '../figure-notes.ts';
import type { SeriesHeadline } from '../first-screen/headlines.ts';
import { modelDocument } from '../model-document.ts';
import { chaptersOf, fullGroups, type ReportChapter } from '../report-chapters.ts';
import { nounOf } from '../rows.ts';
import { isRepeated, type ReportRun, type SeriesGroup } from '../series.ts';
import { hasMembers } from '../side-by-side.ts';
import { partsSection } from '../steps/document.ts';
import { capitalise, plural } from '../wording.ts';
import { algorithms } from './algorithms.ts';
import { enqueueExplanation } from './device.ts';
import { distributionTable, scatterText } from './distribution.ts';
import { librarySection } from './engine-library.ts';
import { evidence } from './evidence.ts';
import { findings } from './findings.ts';
import { seriesTable } from './headline-table.ts';
import { overlapTable } from './load-overlap.ts';
import { machines, reproduceSection } from './machine-section.ts';
import { html, type SafeHtml } from './markup.ts';
import { method } from './method.ts';
import { ranksTables } from './ranks.ts';
import { averageTable, crossings, sideBySideTable } from './results.ts';
import {
  type FigureRenderer,
  type NextTable,
  type PageSection,
  type SectionPart,
  withoutEmpty,
} from './sections.ts';
import { systemLoadSection } from './system-load.ts';

/**
 * Report chapter in which a chart appears, by id of the kind of chart. Charts that are not listed here show a rate and are in
 * the chapter "bandwidth".
 */
const chapterOfChart: Record<string, string> = {
  time: 'latency',
  calls: 'latency',
  ratio: 'crossover',
  launches: 'distribution',
};

/** Maximum number of charts of each chapter if there are many groups of series, so that the page stays small enough to open. */
const maxCharts = 2;

export interface ReportInput {
  runs: readonly ReportRun[];
  groups: readonly SeriesGroup[];
  /** Main results of each series. */
  headlines: readonly SeriesHeadline[];
  draw: FigureRenderer['draw'];
  /** The chart on the report's first screen, to which the chapters only link; null if there is none. */
  first: ChartFigure | null;
  /** HTML section about how GPUs, adapters and processors are connected within the hosts; null if nothing is known. */
  connected: SafeHtml | null;
}

export async function sectionsOf(input: ReportInput): Promise<PageSection[]> {
  const { runs, groups, headlines, draw } = input;
  let tables = 0;
  const next: NextTable = () => ++tables;
  const chapters = chaptersOf(groups);
  const several = chapters.length > 1;
  const drawn = figuresOf(input, chapters);
  const charts = (id: string, chapter: ReportChapter): SafeHtml => {
    const found: SafeHtml[] = [];
    for (const figure of drawn.get(chapter)?.get(id) ?? [])
      found.push(figure.name === input.first?.name ? pointer(figure) : draw(figure));
    return html`${found}`;
  };
  /** Returns the parts of a report section, one per group of series. With several groups each part has a heading. */
  const parts: PartsOfGroups = (id, bodyOf) =>
    chapters.map((chapter) => ({
      ...(several ? { id: `${id}-${chapter.group.key}`, title: capitalise(chapter.group.title) } : {}),
      body: bodyOf(chapter),
    }));
  const none = html``;
  const noun = nounOf(groups.map(({ row }) => row));
  const library = librarySection(runs);
  const sections: (PageSection | null)[] = [
    partsSection(groups, draw),
    {
      id: 'latency',
      title: 'Latency',
      body: none,
      parts: parts(
        'latency',
        (chapter) => html`${enqueueExplanation(chapter.group)}${charts('latency', chapter)}`,
      ),
    },
    {
      id: 'bandwidth',
      title: groups.some(hasAverages) ? 'Bandwidth' : 'Rates',
      body: none,
      parts: parts('bandwidth', (chapter) => charts('bandwidth', chapter)),
    },
    {
      id: 'all',
      title: noun === 'operation' || chapters.length < 2 ? 'All results' : `All ${noun}s`,
      body: overview(headlines, next),
      parts: [
        ...averagesPart(groups, draw, next),
        ...parts('all', ({ group }) =>
          folded(
            html`<div class="broad">${pageMarkup([cellTable(group)], { next })}</div>`,
            group,
            groups.length,
          ),
        ),
      ],
    },
    {
      id: 'crossover',
      title: 'Crossover',
      body: none,
      parts: parts(
        'crossover',
        (chapter) => html`${chapter.of.map(crossings)}${charts('crossover', chapter)}`,
      ),
    },
    {
      id: 'algorithms',
      title: 'Algorithms and protocols',
      body: none,
      parts: [
        ...parts('algorithms', ({ of }) => pageMarkup(of.flatMap(algorithms), { next })),
        { id: 'models', title: 'Models', body: pageMarkup(modelDocument(groups), { next }) },
      ],
    },
    {
      id: 'ranks',
      title: 'Per rank',
      body: await ranksTables(runs, next),
      parts: parts('ranks', ({ group }) =>
        pageMarkup(hasMembers(group) ? [sideBySideTable(group)] : [], { next }),
      ),
    },
    {
      id: 'distribution',
      title: 'Distribution',
      body: scatterText(runs),
      parts: parts(
        'distribution',
        (chapter) =>
          html`${charts('distribution', chapter)}${pageMarkup([distributionTable(chapter.group)], { next })}`,
      ),
    },
    {
      id: 'load',
      title: 'System load',
      body: none,
      parts: [
        ...parts('load', ({ group }) => pageMarkup([overlapTable(group)], { next })),
        { body: (await systemLoadSection(runs, draw)) ?? none },
      ],
    },
    {
      id: 'evidence',
      title: 'Evidence and topology',
      body: pageMarkup(evidence(runs), { next }),
      parts: [{ id: 'connected', title: 'Topology', body: input.connected ?? none }],
    },
    {
      id: 'machine',
      title: 'Hardware and software',
      body: machines(runs),
      parts: library === null ? [] : [{ id: 'library', ...library }],
    },
    { id: 'findings', title: 'Flags and failures', body: findings(runs, groups) },
    { id: 'method', title: 'Method', body: method(runs, groups) },
    { id: 'reproduce', title: 'How to reproduce', body: reproduceSection(runs) },
  ];
  return sections.flatMap((section) => (section === null ? [] : (withoutEmpty(section) ?? [])));
}

type ChapterFigures = Map<ReportChapter, Map<string, ChartFigure[]>>;

/** Returns the charts of each group of series by chapter id, without charts that repeat another one. */
function figuresOf({ groups }: ReportInput, chapters: readonly ReportChapter[]): ChapterFigures {
  const all: ChapterFigures = new Map();
  for (const chapter of chapters) {
    const found = chartsOf(chapter.group.row)
      .filter(({ id }) => !isRepeated(chapter.group, id))
      .map((chart) => ({ id: chart.id, figures: drawnBy(chart, chapter) }))
      .filter(({ figures }) => figures.length > 0)
      .slice(0, groups.length > fullGroups ? maxCharts : undefined);
    const byChapter = new Map<string, ChartFigure[]>();
    for (const { id, figures } of found) {
      const at = chapterOfChart[id] ?? 'bandwidth';
      addAll(byChapter, at, figures);
    }
    all.set(chapter, byChapter);
  }
  return all;
}

const drawnBy = (chart: GroupChart, { group, of }: ReportChapter): ChartFigure[] =>
  (chart.isAlone === true ? of : [group]).flatMap((one) =>
    figuresOfChart(chart, one).map(({ figure, group: panel }) => addCaptionNotes(figure, panel, chart.id)),
  );

type PartsOfGroups = (id: string, bodyOf: (chapter: ReportChapter) => SafeHtml) => SectionPart[];

/**
 * Returns a paragraph with a link to the figure on the first screen, and the sentences of its caption that are not shown
 * there.
 */
const pointer = (figure: ChartFigure): SafeHtml =>
  html`<p><a href="#figure-1">Figure 1</a> shows the ${figure.title.charAt(0).toLowerCase()}${figure.title.slice(1)}. ${restOfCaption(figure)}</p>\n`;

function overview(headlines: readonly SeriesHeadline[], next: NextTable): SafeHtml {
  if (headlines.length < 2) return html``;
  const isLong = headlines.length > 24;
  const body = html`<div class="broad">${seriesTable(html`<b>Table ${next()}. All series.</b> Latency at the smallest, bandwidth at the largest size; ± is half of the 95 % interval.`, headlines)}</div>`;
  return isLong
    ? html`<details><summary>All ${plural(headlines.length, 'series', 'series')}</summary>${body}</details>`
    : body;
}

function averagesPart(
  groups: readonly SeriesGroup[],
  draw: FigureRenderer['draw'],
  next: NextTable,
): SectionPart[] {
  if (!groups.some(hasAverages)) return [];
  const found = averages(groups);
  if (found.length === 0) {
    const body = html`<p>No size was measured over every transport, so there is no average.</p>`;
    return [{ id: 'averages', body }];
  }
  // Bars of many series would have cut names; the table has them in full.
  const figure = groups.length > fullGroups ? html`` : html`${found.map(draw)}`;
  const title = `Averages per ${nounOf(groups.map(({ row }) => row))}`;
  return [{ id: 'averages', title, body: html`${figure}${pageMarkup([averageTable(groups)], { next })}` }];
}

/**
 * Returns the table unchanged if it is short. If there are many groups or configurations, returns it collapsed, as HTML
 * details.
 * @param groups number of groups in the report
 */
function folded(body: SafeHtml, group: SeriesGroup, groups: number): SafeHtml {
  const cells = group.series.reduce((n, s) => n + s.slots.length, 0);
  if (groups <= 2 && cells <= 120) return body;
  return html`<details><summary>All ${plural(cells, 'configuration')} of ${group.title}</summary>${body}</details>`;
}
