import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measuredOf } from '../results/schema/index.ts';
import { distributionKey } from './charts/chart.ts';
import { distribution, distributionsOf } from './distributions.ts';
import { syntheticBlocks } from './fixtures/samples.ts';
import { syntheticRun } from './fixtures/synthetic.ts';

test('bars reach from the smallest sample to the 99th percentile, the highest is z, and a single sample is seen', () => {
  const samples = [...Array.from({ length: 98 }, () => 100), 200, 5000];
  const [from, to, digits] = (distribution(samples) ?? '').split(' ');
  assert.deepEqual([from, Number(to) >= 200], ['100', true]);
  assert.equal(digits?.length, 20);
  assert.match(digits ?? '', /^z0*1?0*/);
});

test('too few samples, or all alike, have no bars', () => {
  assert.equal(distribution([1, 2, 3]), null);
  assert.equal(distribution(Array.from({ length: 50 }, () => 7)), null);
});

test('each configuration has that of all its launches; a run without samples has none', async () => {
  const run = syntheticRun({ maxBytes: 64 });
  const found = await distributionsOf([
    {
      ...run,
      blocks: async function* () {
        yield* syntheticBlocks(run);
      },
    },
  ]);
  assert.equal(found.size, run.cells.length);
  for (const cell of run.cells) {
    const [from, to] = (found.get(distributionKey(run.record.id, cell, 'isolated')) ?? '')
      .split(' ')
      .map(Number);
    const median = measuredOf(cell, 'latency')?.value ?? 0;
    assert.ok(from !== undefined && to !== undefined && from < median && median < to);
  }
  assert.equal((await distributionsOf([run])).size, 0);
});

test('samples that cannot be read leave the figures as they are', async () => {
  const run = syntheticRun({ maxBytes: 8 });
  const broken = {
    ...run,
    blocks: async function* () {
      yield* [];
      throw new Error('line 3 is torn');
    },
  };
  assert.equal((await distributionsOf([broken])).size, 0);
});
