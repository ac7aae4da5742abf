import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyBackground } from '../../results/background.ts';
import { tableOf } from '../document/blocks.ts';
import { headlinesOf } from '../first-screen/headlines.ts';
import { syntheticRun } from '../fixtures/synthetic.ts';
import { sectionsOf } from '../html/chapters.ts';
import { drawer, type PageSection } from '../html/sections.ts';
import { runMarkdown } from '../run-markdown.ts';
import { groupsOf, type SeriesGroup } from '../series.ts';
import { createTable } from '../terminal/table.ts';
import { reportTopics } from './index.ts';
import type { ReportTopic } from './topic.ts';

const run = syntheticRun({ collectives: ['allreduce', 'reduce'], maxBytes: 64 });

const countTable = (groups: readonly SeriesGroup[]) =>
  tableOf<SeriesGroup>(
    [
      { head: 'operation', cell: ({ title }) => title },
      { head: 'lines', align: 'right', cell: ({ series }) => series.length },
    ],
    groups,
    { title: 'Counted lines.' },
  );
const ofReport: ReportTopic = {
  id: 'counted',
  chapter: 'crossover',
  title: 'Lines of the report',
  ofReport: (groups) => [countTable(groups)],
};
const ofSeries: ReportTopic = {
  id: 'counted-here',
  chapter: 'machine',
  ofSeries: ({ group }) => [countTable([group])],
};

const sectionsWith = (topics: readonly ReportTopic[]): Promise<PageSection[]> => {
  const groups = groupsOf([run]);
  const { draw } = drawer();
  const headlines = headlinesOf(groups, emptyBackground);
  return sectionsOf({
    runs: [run],
    groups,
    headlines,
    draw,
    first: null,
    connected: null,
    explained: null,
    topics,
  });
};
const footWith = (topics: readonly ReportTopic[]): string => {
  const table = createTable({ plan: run.record.plan, columns: 100, color: false });
  return table.foot({ cells: run.cells, elapsedS: 1, topics });
};

test('a topic of the report has a heading in its chapter, a numbered table, and the same rows everywhere', async () => {
  const sections = await sectionsWith([ofReport]);
  const part = sections.find(({ id }) => id === 'crossover')?.parts?.at(-1);
  assert.deepEqual([part?.id, part?.title], ['counted', 'Lines of the report']);
  assert.match(part?.body.text ?? '', /<b>Table \d+\. Counted lines\.<\/b>/);
  assert.match(runMarkdown(run, [ofReport]), /Lines of the report[\s\S]*\| allreduce float32 sum \| 2 \|/);
  assert.match(footWith([ofReport]), /^Lines of the report\n[\s\S]*^ {2}allreduce float32 sum +2$/m);
});

test('a topic of series is in the part of each operation', async () => {
  const sections = await sectionsWith([ofSeries]);
  const parts = sections.find(({ id }) => id === 'machine')?.parts ?? [];
  assert.deepEqual(
    parts.filter(({ body }) => body.text.includes('Counted lines.')).map(({ title }) => title),
    ['Allreduce float32 sum', 'Reduce float32 sum root 0'],
  );
  assert.equal(runMarkdown(run, [ofSeries]).split('| operation |').length - 1, 2);
});

test('a topic of one form is in no other, and without blocks it is nowhere', async () => {
  const onPage: ReportTopic = { ...ofReport, only: ['page'] };
  const empty: ReportTopic = { ...ofReport, ofReport: () => [] };
  assert.equal(runMarkdown(run, [onPage]), runMarkdown(run, []));
  assert.equal(footWith([empty]), footWith([]));
  const idsWith = async (topic: ReportTopic) =>
    (await sectionsWith([topic])).flatMap(({ parts = [] }) => parts.map(({ id }) => id));
  assert.ok((await idsWith(onPage)).includes('counted'));
  assert.ok(!(await idsWith(empty)).includes('counted'));
});

test('every topic has an id of its own', () => {
  assert.equal(new Set(reportTopics.map(({ id }) => id)).size, reportTopics.length);
});
