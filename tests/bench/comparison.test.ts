// test: core
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compare, table } from './comparison.ts';

const at = (bytes: number, pipelinedNs: number, isolatedNs: number | null = null) => ({
  bytes,
  pipelinedNs,
  isolatedNs,
});

test('the ratio is the median of the ratios within each round, not the ratio of medians', () => {
  const [row] = compare(
    [8],
    [[at(8, 100)], [at(8, 300)], [at(8, 200)]],
    [[at(8, 50)], [at(8, 300)], [at(8, 400)]],
  );
  assert.equal(row?.ratio, 1);
  assert.deepEqual(row?.spread, [0.5, 2]);
  assert.equal(row?.ours.pipelinedNs, 200);
  assert.equal(row?.mpi.pipelinedNs, 300);
});

test('isolated figures are compared only where both sides have one', () => {
  const rows = compare([8, 16], [[at(8, 1, 30), at(16, 1)]], [[at(8, 1, 20), at(16, 1, 5)]]);
  assert.equal(rows[0]?.isolatedRatio, 1.5);
  assert.equal(rows[1]?.isolatedRatio, null);
});

test('a size missing in one round is an error that names it', () => {
  assert.throws(
    () => compare([8, 16], [[at(8, 1)]], [[at(8, 1), at(16, 1)]]),
    /collbench has no figure for 16 B/,
  );
});

test('the table marks exactly the sizes above the limit', () => {
  const rows = compare([8, 16], [[at(8, 15), at(16, 16)]], [[at(8, 10), at(16, 10)]]);
  const [, , exact, above] = table('socket', rows, 1.5);
  assert.ok(exact?.endsWith('-'));
  assert.ok(above?.endsWith('> 1.5'));
});

test('a size says in how many rounds ours was flagged, and why', () => {
  const flagged = [{ ...at(8, 1), flags: ['cpu-stolen', 'unsteady'] }];
  const rows = compare([8], [flagged, [{ ...at(8, 1), flags: ['cpu-stolen'] }]], [[at(8, 1)], [at(8, 1)]]);
  assert.deepEqual(rows[0]?.flags, { 'cpu-stolen': 2, unsteady: 1 });
  assert.match(table('shm', rows, 1.5)[2] ?? '', / cpu-stolen in 2 {2}unsteady in 1$/);
});
