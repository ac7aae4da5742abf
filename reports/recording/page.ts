// The report of a recorded job: its network calls, where its time went, and which ranks waited for others.
import path from 'node:path';
import type { RecordingTimeline } from '../../results/record/index.ts';
import { type DocumentBlock, type DocumentTable, tableOf } from '../document/blocks.ts';
import { pageMarkup } from '../document/page.ts';
import type { TitledPage } from '../html/figure.ts';
import { byline } from '../html/first-screen.ts';
import { machines, reproduceSection } from '../html/machine-section.ts';
import { html, type SafeHtml } from '../html/markup.ts';
import { contents, drawer, type PageSection } from '../html/sections.ts';
import { importedSentence } from '../imported.ts';
import type { ReportRun } from '../series.ts';
import { formatCount, joinWords, sentence } from '../wording.ts';
import { callTable } from './calls.ts';
import { callTimeFigure, timelineFigure } from './charts.ts';

type RecordedWaits = RecordingTimeline['waits'][number];

/** Returns the report page of a job that `collbench record` recorded. @param picture totals and timeline of the job's calls */
export async function recordedPage(run: ReportRun, picture: RecordingTimeline): Promise<TitledPage> {
  const title = `Recorded: ${picture.program}`;
  const { draw, fill } = drawer();
  const first = draw(callTimeFigure(picture));
  const timeline = timelineFigure(picture);
  const waits: DocumentBlock[] = [
    ...(timeline === null ? [] : [{ kind: 'chart', figure: timeline } as const]),
    ...picture.waits.map((one) => waitsTable(one, picture.waits.length > 1)),
  ];
  const sections: PageSection[] = [
    { id: 'waits', title: 'Who waits for whom', body: pageMarkup(waits, { draw }) },
    { id: 'calls', title: 'All calls', body: pageMarkup([callTable(picture.totals)]) },
    { id: 'machine', title: 'Hardware and software', body: pageMarkup(machines([run])) },
    { id: 'method', title: 'Method', body: pageMarkup(method(run)) },
    { id: 'reproduce', title: 'How to reproduce', body: pageMarkup(reproduceSection([run])) },
  ].filter(({ body }) => body.text.trim() !== '');
  const body = html`<main>
<header class="opening">
<h1>${title}</h1>
<p class="byline">${byline([run])}</p>
<p class="standfirst">The job ran as it is; its calls were noted beside it. ${sentence(importedSentence(run))}</p>
<div class="glance">
<div class="words">
<dl class="answers">${answersOf(run, picture).map(
    ({ question, body: told }) => html`<dt>${question}</dt><dd>${told}</dd>\n`,
  )}</dl>
</div>
<div class="hero">${first}</div>
</div>
</header>
${contents(sections)}
</main>`;
  return { title, ...(await fill(body)) };
}

/** Questions that the page asks, by the topic of the sentences that answer them. */
const questions: Record<keyof RecordingTimeline['sentences'], string> = {
  calls: 'What did it ask of the network?',
  waits: 'Who waits for whom?',
  share: 'How much of its time is that?',
  steps: 'What are its steps?',
};
const topics = Object.keys(questions) as (keyof typeof questions)[];

function answersOf(
  { record, dir }: ReportRun,
  { sentences }: RecordingTimeline,
): { question: string; body: SafeHtml }[] {
  const replay = `collbench replay ${path.basename(dir)} --ranks ${record.plan.ranks} --transport socket,sisci`;
  return [
    ...topics
      .filter((topic) => sentences[topic].length > 0)
      .map((topic) => ({
        question: questions[topic],
        body: html`${sentences[topic].map(sentence).join(' ')}`,
      })),
    {
      question: 'What would another network change?',
      body: html`<code>${replay}</code> plays these calls over other transports.`,
    },
  ];
}

function waitsTable({ name, calls, ranks }: RecordedWaits, isSeveral: boolean): DocumentTable {
  return tableOf<RecordedWaits['ranks'][number]>(
    [
      { head: 'rank', align: 'right', cell: ({ rank }) => String(rank) },
      { head: 'inside', quantity: 'ns', cell: ({ insideNs }) => insideNs },
      { head: 'waiting', quantity: 'ns', cell: ({ waitedNs }) => waitedNs },
      {
        head: 'of inside',
        quantity: 'share',
        cell: ({ waitedNs, insideNs }) => (insideNs > 0 ? waitedNs / insideNs : null),
      },
      { head: 'others waited for it', quantity: 'ns', cell: ({ causedNs }) => causedNs },
      { head: 'came last', quantity: 'share', cell: ({ lastIn }) => lastIn / calls },
    ],
    ranks,
    {
      title: `Ranks${isSeveral ? ` of ${name}` : ''}.`,
      caption: `Of ${formatCount(calls)} calls whose times are known on all ranks: a rank waits as long as it is inside before the last one has come.`,
    },
  );
}

function method({ record }: ReportRun): DocumentBlock[] {
  const { imported } = record.plan;
  if (imported === undefined) return [];
  return [
    {
      kind: 'facts',
      facts: [
        [
          'recorded by',
          `${imported.program}; its calls are counted and timed as it makes them, no message is added`,
        ],
        ['time of a size', imported.statistic],
        ['converted', joinWords(imported.conversions)],
        ['not known', joinWords(imported.unknown)],
      ],
    },
    ...imported.notices.map((text): DocumentBlock => ({ kind: 'paragraph', text: sentence(text) })),
  ];
}
