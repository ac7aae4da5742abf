// Chapters of an HTML report, in the order of `chapterIds`; an empty chapter is left out.
import { addAll } from '../../results/collections.ts';
import { cellTable } from '../cell-table.ts';
import { type ChapterId, chapterIds } from '../chapter-ids.ts';
import {
  averages,
  type ChartFigure,
  chartsOf,
  figuresOfChart,
  type GroupChart,
  hasAverages,
} from '../charts/index.ts';
import { pageMarkup } from '../document/page.ts';
import { explanationDocument, explanationTitle } from '../explanation/document.ts';
import { addCaptionNotes, restOfCaption } from '../figure-notes.ts';
import type { SeriesHeadline } from '../first-screen/headlines.ts';
import { chaptersOf, fullGroups, type ReportChapter } from '../report-chapters.ts';
import { nounOf } from '../rows.ts';
import { isRepeated, type ReportRun, type SeriesGroup, type ShownExplanation } from '../series.ts';
import { partsSection } from '../steps/document.ts';
import { reportTopics } from '../topics/index.ts';
import { type ReportTopic, topicsIn } from '../topics/topic.ts';
import { capitalise, plural } from '../wording.ts';
import { enqueueExplanation } from './device.ts';
import { scatterText } from './distribution.ts';
import { librarySection } from './engine-library.ts';
import { evidence } from './evidence.ts';
import { findings } from './findings.ts';
import { seriesTable } from './headline-table.ts';
import { machines, reproduceSection } from './machine-section.ts';
import { html, type SafeHtml } from './markup.ts';
import { method } from './method.ts';
import { ranksTables } from './ranks.ts';
import { averageTable, crossings } from './results.ts';
import {
  type FigureRenderer,
  type NextTable,
  type PageSection,
  type SectionPart,
  withoutEmpty,
} from './sections.ts';
import { systemLoadSection } from './system-load.ts';

/**
 * Maximum number of kinds of charts for each group of series in a report with more than `fullGroups` groups, so that the page stays
 * small enough to open.
 */
const maxCharts = 2;

export interface ReportInput {
  runs: readonly ReportRun[];
  groups: readonly SeriesGroup[];
  /** Main results of each series, such as the latency at its smallest size and the bandwidth at its largest. */
  headlines: readonly SeriesHeadline[];
  draw: FigureRenderer['draw'];
  /** The chart on the report's first screen, which its chapter does not show again but links to; null if there is none. */
  first: ChartFigure | null;
  /** HTML about how GPUs, adapters and processors are connected within the hosts; null if nothing is known about it. */
  connected: SafeHtml | null;
  /** Explanation of the only run; null if nobody has explained it, or if the report has several runs. */
  explained: ShownExplanation | null;
  /** Topics that the report contains; default: all. */
  topics?: readonly ReportTopic[];
}

/** Content of a chapter besides charts and topics. */
interface ChapterContent {
  title: string;
  body?: SafeHtml;
  first?: readonly SectionPart[];
  /** Returns the HTML above the charts of a group of series. */
  lead?(chapter: ReportChapter): SafeHtml;
  /** Returns further parts of the chapter, which follow its topics; called once. */
  last?(): SectionPart[] | Promise<SectionPart[]>;
}

export async function sectionsOf(input: ReportInput): Promise<PageSection[]> {
  const { runs, groups, headlines, draw, explained } = input;
  let tables = 0;
  const next: NextTable = () => ++tables;
  const chapters = chaptersOf(groups);
  const several = chapters.length > 1;
  const drawn = figuresOf(input, chapters);
  const charts = (id: ChapterId, chapter: ReportChapter): SafeHtml[] =>
    (drawn.get(chapter)?.get(id) ?? []).map((figure) =>
      figure.name === input.first?.name ? figurePointer(figure) : draw(figure),
    );
  /** Returns the parts of a report section, one part per group of series. With several groups each part has a heading. */
  const parts = (id: ChapterId, bodyOf: (chapter: ReportChapter) => SafeHtml): SectionPart[] =>
    chapters.map((chapter) => ({
      ...(several ? { id: `${id}-${chapter.group.key}`, title: capitalise(chapter.group.title) } : {}),
      body: bodyOf(chapter),
    }));
  const noun = nounOf(groups.map(({ row }) => row));
  const library = librarySection(runs);
  const topics = topicsIn('page', input.topics ?? reportTopics);
  const form = { draw, next };
  /** Form of documents that are shown within a chapter, so their headings are one level lower. */
  const inner = { ...form, heading: 'h3' } as const;
  // Tables and figures are numbered in the order in which they are made, so the chapters are made one after the other.
  const contents: Record<ChapterId, () => ChapterContent | Promise<ChapterContent>> = {
    parts: () => ({ title: 'Counts and steps', body: partsSection(groups, draw) }),
    latency: () => ({ title: 'Latency', lead: ({ group }) => pageMarkup(enqueueExplanation(group), form) }),
    bandwidth: () => ({ title: groups.some(hasAverages) ? 'Bandwidth' : 'Rates' }),
    all: () => ({
      title: noun === 'operation' || chapters.length < 2 ? 'All results' : `All ${noun}s`,
      body: overview(headlines, next),
      first: averagesPart(groups, draw, next),
      lead: ({ group }) => foldLongTable(broad(pageMarkup([cellTable(group)], form)), group, groups.length),
    }),
    explanation: () => ({
      title: explained === null ? '' : explanationTitle(explained.record),
      body: pageMarkup(explained === null ? [] : explanationDocument(explained), inner),
    }),
    crossover: () => ({ title: 'Crossover', lead: ({ of }) => html`${of.map(crossings)}` }),
    algorithms: () => ({ title: 'Algorithms and protocols' }),
    ranks: async () => ({
      title: 'Per rank',
      body: broad(pageMarkup(await ranksTables(runs), form)),
    }),
    distribution: () => ({ title: 'Distribution', body: scatterText(runs) }),
    load: () => ({
      title: 'System load',
      last: async () => [{ body: pageMarkup(await systemLoadSection(runs), inner) }],
    }),
    evidence: () => ({
      title: 'Evidence and topology',
      body: pageMarkup(evidence(runs), form),
      last: () => [{ id: 'connected', title: 'Topology', body: input.connected ?? html`` }],
    }),
    machine: () => ({
      title: 'Hardware and software',
      body: pageMarkup(machines(runs), inner),
      last: () =>
        library === null
          ? []
          : [{ id: 'library', title: library.title, body: pageMarkup(library.body, inner) }],
    }),
    findings: () => ({ title: 'Flags and failures', body: pageMarkup(findings(runs, groups), form) }),
    method: () => ({ title: 'Method', body: pageMarkup(method(runs, groups), form) }),
    reproduce: () => ({ title: 'How to reproduce', body: pageMarkup(reproduceSection(runs), form) }),
  };
  const sections: PageSection[] = [];
  for (const id of chapterIds) {
    const { title, body = html``, first = [], lead, last } = await contents[id]();
    const own = topics.filter(({ chapter }) => chapter === id);
    const section: PageSection = {
      id,
      title,
      body,
      parts: [
        ...first,
        ...parts(
          id,
          (chapter) =>
            html`${lead?.(chapter) ?? ''}${charts(id, chapter)}${own.map(({ ofSeries }) => pageMarkup(ofSeries?.(chapter) ?? [], form))}`,
        ),
        ...own.map((topic) => ({
          ...(topic.title === undefined ? {} : { id: topic.id, title: topic.title }),
          body: pageMarkup(topic.ofReport?.(groups) ?? [], form),
        })),
        ...((await last?.()) ?? []),
      ],
    };
    sections.push(...withoutEmpty(section));
  }
  return sections;
}

type ChapterFigures = Map<ReportChapter, Map<ChapterId, ChartFigure[]>>;

/**
 * Returns the charts of each group of series by chapter id, without charts that repeat another one. With more than `fullGroups`
 * groups each has only its first `maxCharts` kinds of charts.
 */
function figuresOf({ groups }: ReportInput, chapters: readonly ReportChapter[]): ChapterFigures {
  const all: ChapterFigures = new Map();
  for (const chapter of chapters) {
    const found = chartsOf(chapter.group.row)
      .filter(({ id }) => !isRepeated(chapter.group, id))
      .map((chart) => ({ at: chart.chapter, figures: drawnBy(chart, chapter) }))
      .filter(({ figures }) => figures.length > 0)
      .slice(0, groups.length > fullGroups ? maxCharts : undefined);
    const byChapter = new Map<ChapterId, ChartFigure[]>();
    for (const { at, figures } of found) addAll(byChapter, at, figures);
    all.set(chapter, byChapter);
  }
  return all;
}

const drawnBy = (chart: GroupChart, { group, of }: ReportChapter): ChartFigure[] =>
  (chart.isAlone === true ? of : [group]).flatMap((one) =>
    figuresOfChart(chart, one).map(({ figure, group: panel }) => addCaptionNotes(figure, panel, chart)),
  );

/** Wraps tables in an element that lets them be wider than the text; empty HTML stays empty. */
const broad = (tables: SafeHtml): SafeHtml =>
  tables.text === '' ? tables : html`<div class="broad">${tables}</div>`;

/**
 * Returns a paragraph with a link to the chart on the report's first screen, and the sentences of its caption that the first screen
 * leaves out.
 */
const figurePointer = (figure: ChartFigure): SafeHtml =>
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
  // Names of many series would be cut in a bar chart; the table has them in full.
  const figure = groups.length > fullGroups ? html`` : html`${found.map(draw)}`;
  const title = `Averages per ${nounOf(groups.map(({ row }) => row))}`;
  return [{ id: 'averages', title, body: html`${figure}${pageMarkup([averageTable(groups)], { next })}` }];
}

/**
 * Folds a table (HTML details) if it has more than 120 configurations, or if the report has more than two groups of series; otherwise
 * returns it unchanged.
 * @param groups number of groups of series in the report
 */
function foldLongTable(body: SafeHtml, group: SeriesGroup, groups: number): SafeHtml {
  const cells = group.series.reduce((n, s) => n + s.slots.length, 0);
  if (groups <= 2 && cells <= 120) return body;
  return html`<details><summary>All ${plural(cells, 'configuration')} of ${group.title}</summary>${body}</details>`;
}
