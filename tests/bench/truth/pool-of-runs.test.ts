// test: core
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measuredOf } from '../../../results/schema/index.ts';
import type { LoadedRun } from '../../../results/store/types.ts';
import { type SyntheticRun, syntheticRecord } from '../../../results/testing/run.ts';
import { launchPool } from './pool-file.ts';
import { poolOfRuns } from './pool-of-runs.ts';

const startedAt = (i: number): string => `2026-11-21T01:0${i}:00.000Z`;
const run = (i: number, made: SyntheticRun = {}): LoadedRun =>
  syntheticRecord({
    sizes: [8, 1024, 4194304],
    launches: 1,
    seed: i,
    record: { startedAt: startedAt(i) },
    ...made,
  }) as unknown as LoadedRun;
const isolated = (loaded: LoadedRun, size: number): number[] =>
  measuredOf(loaded.cells[size], 'latency')?.launchValues ?? [];

test('launches stand in the order of time, by size, each with the figure that comparisons take', () => {
  const [first, second] = [run(1), run(2, { launches: 2 })];
  const { pool, leftOut } = poolOfRuns([second, first], 'of tests');
  assert.deepEqual(launchPool.parse(pool), pool);
  assert.deepEqual(leftOut, []);
  const [series] = pool.series;
  assert.equal(pool.series.length, 1);
  assert.deepEqual(series?.sizesBytes, [8, 1024, 4194304]);
  assert.deepEqual(series?.trials, ['isolated', 'isolated', 'pipelined']);
  assert.deepEqual(
    series?.launchMediansNs.map((launch) => launch[0]),
    [...isolated(first, 0), ...isolated(second, 0)],
  );
});

test('a cell that some launch lacks is left out, and said', () => {
  const torn = run(2);
  const { pool, leftOut } = poolOfRuns([run(1), { ...torn, cells: torn.cells.slice(1) }, run(3)], '');
  assert.deepEqual(pool.series[0]?.sizesBytes, [1024, 4194304]);
  assert.match(leftOut.join(), /, 8 bytes: figures of 2 of 3 launches$/);
});

test('one launch is no pool', () => {
  assert.throws(() => poolOfRuns([run(1)], ''), RangeError);
});
