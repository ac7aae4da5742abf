// test: core
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measuredOf } from '../../../results/schema/index.ts';
import type { LoadedRun } from '../../../results/store/types.ts';
import { type SyntheticRun, syntheticRecord } from '../../../results/testing/run.ts';
import { pooledSources } from './paired-noise.ts';
import { launchPool } from './pool-file.ts';
import { poolOfRuns } from './pool-of-runs.ts';
import { RandomDraws } from './random.ts';

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

test('launches that measured in pairs have the lower quartiles of their times, and keep their partner', () => {
  const runs = [1, 2, 3, 4].map((i) => run(i, { sizes: [8] }));
  const low = (i: number) =>
    new Map(runs[i]?.cells.map(({ id }): [string, number] => [id, [1000, 2000, 8000, 16_000][i] ?? 0]));
  const { pool } = poolOfRuns(runs, 'of tests', new Map(runs.map((one, i) => [one, low(i)])));
  assert.equal(pool.series[0]?.isPaired, true);
  assert.deepEqual(pool.series[0]?.launchMediansNs, [[1000], [2000], [8000], [16_000]]);
  const [[, start] = ['', () => assert.fail()]] = pooledSources(pool);
  const draws = new RandomDraws(1);
  const ratios = Array.from({ length: 20 }, () => {
    const [first, second] = start()(draws);
    return Math.exp(second - first);
  });
  // The launches 2 and 3 have the ratio 4, and are of different pairs.
  assert.ok(ratios.every((ratio) => Math.abs(ratio - 2) < 1e-9));
});

test('one launch is no pool', () => {
  assert.throws(() => poolOfRuns([run(1)], ''), RangeError);
});
