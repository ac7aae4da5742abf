import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LaunchPool } from './pool-file.ts';
import { entriesOf, poolRows } from './pool-nights.ts';
import { RandomDraws } from './random.ts';

const sizesBytes = [8, 1024, 65536, 1048576, 4194304, 16777216];

function madePool(sd: number, launches: number): LaunchPool {
  const draws = new RandomDraws(5);
  const series = ['socket', 'sisci'].map((transport) => ({
    ...{ measured: 'allreduce', title: `over ${transport}`, collective: 'allreduce', engine: 'cpu' },
    ...{ transport, medium: 'hardware', sizesBytes },
    trials: sizesBytes.map((bytes) => (bytes < 4194304 ? ('isolated' as const) : ('pipelined' as const))),
    launchMediansNs: Array.from({ length: launches }, () =>
      sizesBytes.map((bytes) => (5000 + bytes / 4) * Math.exp(sd * draws.normal())),
    ),
  }));
  return { schemaVersion: 1, machine: 'made', command: 'none', note: '', series };
}

test('small sizes are an entry of their own, with more launches', () => {
  const entries = entriesOf(madePool(0.01, 40));
  assert.deepEqual(
    entries.map(({ launches, cells }) => [launches, cells.length]),
    [
      [8, 4],
      [5, 8],
    ],
  );
});

test('launches that scatter little: no red light, and what is put on is found', () => {
  const [none, ...changes] = poolRows(madePool(0.005, 60), 60);
  assert.equal(none?.red.hits, 0);
  assert.equal(none?.noVerdict.hits, 0);
  assert.equal(changes.length, 6);
  for (const { what, found } of changes) assert.equal(found?.share, 1, what);
});

test('launches that scatter too much: no verdict', () => {
  const [none] = poolRows(madePool(0.2, 60), 20);
  assert.equal(none?.noVerdict.share, 1);
});

test('a pool that is too short for a night and something to learn from says so', () => {
  assert.throws(() => entriesOf(madePool(0.01, 9)), /9 launches recorded, 10 are needed/);
});

test('a shorter pool has nights of fewer launches', () => {
  const launches = entriesOf(madePool(0.01, 30)).map((entry) => entry.launches);
  assert.deepEqual(launches, [6, 5]);
});
