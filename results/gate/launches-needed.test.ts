import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Baseline } from '../schema/index.ts';
import { syntheticRecord } from '../testing/run.ts';
import { tooFewLaunches } from './launches-needed.ts';

const ahead = (launches: number) => [{ entry: 'small', launches, groups: 20 }];
const baselineOf = (launches: number): Baseline => ({
  schemaVersion: 3,
  name: 'nightly',
  setAt: '2026-11-21T01:00:00.000Z',
  source: { kind: 'suite', id: 'abcdef', name: 'nightly', title: 'nightly' },
  entries: [{ entry: 'small', ...syntheticRecord({ launches }) }],
  learned: null,
});

test('two launches show no change of 10 %, and what suffices is named', () => {
  const found = tooFewLaunches(ahead(2), null, 0.1);
  assert.ok(found);
  assert.deepEqual([found.entry, found.of, found.launches], ['small', 'suite', 2]);
  assert.ok(found.sees > 0.1 && Number.isFinite(found.sees));
  assert.ok(found.wanted !== null && found.wanted > 2);
  assert.equal(tooFewLaunches(ahead(found.wanted), null, 0.1), null);
  assert.equal(tooFewLaunches(ahead(1), null, 10)?.sees, Number.POSITIVE_INFINITY);
});

test('a baseline of few launches is what is lacking; one that has learned the scatter is left to the gate', () => {
  const few = baselineOf(2);
  assert.equal(tooFewLaunches(ahead(8), few, 0.1)?.of, 'baseline');
  const enough = baselineOf(8);
  assert.equal(tooFewLaunches(ahead(8), enough, 0.1), null);
  const variance = { variance: 1e-4, degrees: 8 };
  const group = { entry: 'small', key: 'k', title: 't', cell: variance, group: variance, night: variance };
  const learned = { at: '2026-11-21T01:00:00.000Z', from: ['a', 'b'], groups: [{ ...group, launches: 2 }] };
  assert.equal(tooFewLaunches(ahead(2), { ...baselineOf(2), learned }, 0.1), null);
  // If no number of launches helps, `wanted` is null: the scatter between nights remains.
  assert.equal(tooFewLaunches(ahead(2), few, 0.021)?.wanted, null);
});
