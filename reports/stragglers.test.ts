import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BlockRecord } from '../results/schema/index.ts';
import { syntheticRun } from './fixtures/synthetic.ts';
import { stencilRun } from './fixtures/workloads.ts';
import { buildPage } from './html/page.ts';
import type { ReportRun } from './series.ts';
import { rankTimesOf, stragglerOf } from './stragglers.ts';

/** Returns a run with blocks in which one rank needs `by` times as long as the others. */
function runWith(
  slowRank: number | null,
  by = 1.3,
  run: ReportRun = syntheticRun({ ranks: 4, maxBytes: 64 }),
) {
  const block = (point: number, transport: number): BlockRecord => {
    const operations = Array.from({ length: 20 }, (_, i) => i);
    const end = (rank: number, i: number) =>
      Math.round(i * 1e6 + 5000 * (rank === slowRank ? by : 1) + ((i + rank) % 4));
    return {
      block: point,
      point,
      transport,
      launch: 0,
      trial: 'isolated',
      batch: 1,
      baseNs: 0,
      commonStartNs: operations.map((i) => i * 1e6),
      startNs: [0, 1, 2, 3].map(() => operations.map((i) => i * 1e6)),
      endNs: [0, 1, 2, 3].map((rank) => operations.map((i) => end(rank, i))),
      late: [0, 1, 2, 3].map(() => operations.map(() => 0)),
    } as unknown as BlockRecord;
  };
  return {
    ...run,
    blocks: async function* () {
      for (const point of [0, 1, 2, 3]) for (const transport of [0, 1]) yield block(point, transport);
    },
  };
}

test('the rank that the others wait for is named, at the smallest, a middle and the largest size', async () => {
  const run = runWith(2);
  const found = await rankTimesOf(run);
  assert.deepEqual(
    found.map(({ transport, point }) => `${transport} ${point}`),
    ['socket 0', 'sisci 0', 'socket 1', 'sisci 1', 'socket 3', 'sisci 3'],
  );
  for (const one of found) {
    assert.equal(stragglerOf(one), 2);
    assert.deepEqual(one.lastIn, [0, 0, 20, 0]);
  }
  const { html } = await buildPage([run]);
  const section = /<section id="ranks">[\s\S]*?<\/section>/.exec(html)?.[0] ?? '';
  assert.match(section, /<td class="t"><b>rank 2 is a straggler<\/b><\/td>/);
});

test('three points of each series are read, whatever its x axis is', async () => {
  const found = await rankTimesOf(runWith(2, 1.3, stencilRun(4)));
  assert.deepEqual(
    found.map(({ transport, point }) => `${transport} ${point}`),
    ['socket 0', 'sisci 0', 'socket 1', 'sisci 1', 'socket 3', 'sisci 3'],
  );
});

test('who is last by chance, or by little, is no straggler', async () => {
  for (const run of [runWith(null), runWith(1, 1.02)])
    for (const one of await rankTimesOf(run)) assert.equal(stragglerOf(one), null);
});
