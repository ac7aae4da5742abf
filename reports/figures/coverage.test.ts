import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomSource } from '../../results/random.ts';
import type { CellRecord } from '../../results/schema/index.ts';
import { sisciPlan, socketPlan, syntheticRun } from '../fixtures/synthetic.ts';
import type { ReportRun } from '../series.ts';
import { contentsOf } from './contents.ts';
import { gather } from './gather.ts';
import { type PaperItem, splitCaption } from './paper.ts';
import { themeOf } from './theme.ts';

const collectives = ['allreduce', 'allgather'] as const;
const rankCounts = [2, 3, 4];

/** Returns one run per rank count; 3 ranks have other sizes. Some cells are missing, failed or have no value. */
function runs(random: () => number, share: number): ReportRun[] {
  return rankCounts.map((ranks) => {
    const run = syntheticRun({
      collectives: [...collectives],
      transports: [socketPlan, sisciPlan],
      ranks,
      minBytes: ranks === 3 ? 96 : 64,
      maxBytes: 1024,
      launches: 3,
    });
    run.record.id = `run${ranks}`;
    run.cells = run.cells.flatMap((cell): CellRecord[] => {
      if (random() >= share || cell.status !== 'ok') return [cell];
      const kind = Math.floor(random() * 3);
      if (kind === 0) return [];
      return [kind === 1 ? { ...cell, figures: [] } : cell];
    });
    return run;
  });
}

/** Returns the numbers in a caption: drawn, left out and all configurations. */
function counted({ caption }: PaperItem): { drawn: number; leftOut: number; all: number } {
  const whole = /All ([\d,]+) configurations are drawn\./.exec(caption);
  if (whole !== null) return { drawn: Number(whole[1]), leftOut: 0, all: Number(whole[1]) };
  const [, drawn, all, why = ''] =
    /([\d,]+) of ([\d,]+) configurations are drawn; left out: (.*?\))\./.exec(caption) ?? [];
  const plain = why.replaceAll(/ \([^)]*\)/g, '');
  const parts = [...plain.matchAll(/(?:^|, | and )([\d,]+) [a-z]/g)].map(([, count]) => Number(count));
  return { drawn: Number(drawn), leftOut: parts.reduce((sum, one) => sum + one, 0), all: Number(all) };
}

for (const share of [0, 0.1, 0.4, 0.8])
  test(`with ${share * 100} % of cells in trouble, drawn and named as left out are all, and rows are what is drawn`, async () => {
    for (let seed = 1; seed <= 5; seed += 1) {
      const all = runs(randomSource(seed), share);
      const planned = all.reduce((sum, { record }) => sum + record.plan.expected.cells, 0);
      const { papers } = await contentsOf(await gather(all, themeOf('thesis')));
      const figures = papers.filter(({ kind }) => kind === 'figure');
      assert.ok(figures.length > 0);
      for (const paper of figures) {
        const { drawn, leftOut, all: total } = counted(paper);
        assert.equal(drawn + leftOut, total, paper.caption);
        const isAverage = paper.name.startsWith('average');
        const inRows = isAverage
          ? paper.rows.reduce((sum, { sizes }) => sum + Number(sizes), 0)
          : paper.rows.length;
        assert.equal(drawn, inRows, `${paper.name}: ${paper.caption}`);
        assert.equal(total, isAverage ? planned : planned / collectives.length, paper.name);
      }
    }
  });

test('what is left out is named by operation and number of ranks', async () => {
  const all = runs(randomSource(1), 0);
  for (const run of all)
    if (run.record.plan.ranks === 3)
      run.cells = run.cells.filter(
        ({ transport, axes }) => transport === 'socket' || axes.collective !== 'allgather',
      );
  const { papers } = await contentsOf(await gather(all, themeOf('thesis')));
  const average = papers.find(({ name }) => name === 'average-busbw');
  assert.match(average?.caption ?? '', /left out: \d+ not measured \(allgather, 3 ranks\)\./);
});

test('a caption has its title once, the sizes of each number of ranks, and the sizes that the plan skipped', async () => {
  const all = runs(randomSource(1), 0);
  const reason = '8 B is less than one float32 for each of 3 ranks';
  for (const { record } of all)
    if (record.plan.ranks === 3) record.plan.skipped = [{ what: 'allgather', requestedX: 8, reason }];
  const { papers } = await contentsOf(await gather(all, themeOf('thesis')));
  const captionOf = (name: string) => papers.find((paper) => paper.name === name)?.caption ?? '';
  for (const paper of papers) {
    const { title, rest } = splitCaption(paper);
    assert.ok(!rest.includes(title), `${title}${rest}`);
  }
  assert.match(
    captionOf('busbw-allgather'),
    /, 5 sizes from 64 B to 1 KiB \(2 ranks and 4 ranks\), \d sizes from 96 B to /,
  );
  assert.ok(captionOf('busbw-allgather').includes(` Skipped: ${reason}. `));
  assert.doesNotMatch(captionOf('busbw-allreduce'), /Skipped/);
  assert.ok(captionOf('average-busbw').includes(` Skipped: ${reason} (allgather). `));
});

test('machines that are alike are listed once, with all numbers of ranks', async () => {
  const { papers } = await contentsOf(await gather(runs(randomSource(1), 0), themeOf('thesis')));
  const table = papers.find(({ kind }) => kind === 'table');
  assert.ok(table?.kind === 'table');
  const names = table.cells.map(([name]) => name);
  assert.equal(new Set(names).size, names.length);
  assert.deepEqual(table.cells.at(-1), ['Ranks', '2, 3 or 4 ranks on 1 node']);
});
