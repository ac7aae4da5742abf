import assert from 'node:assert/strict';
import { test } from 'node:test';
import { controlpath, type SideFigure, train } from '../../schema/index.ts';
import { testBlock } from '../../testing/block.ts';
import { partsOf } from './steps.ts';

/** A block with columns of rank 0; rank 1 writes none. */
const block = (columns: Record<string, number[]>, launch = 0, trial: 'isolated' | 'pipelined' = 'isolated') =>
  testBlock(
    (columns.total ?? []).map(() => 1000),
    {
      launch,
      trial,
      columns: Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, [values, []]])),
    },
  );

const values = (found: readonly SideFigure[]) =>
  Object.fromEntries(found.map(({ name, value }) => [name, value]));

const named = (found: readonly SideFigure[], name: string) => found.find((one) => one.name === name);

test('a time beside the whole is no step of it', () => {
  const found = partsOf(train, [
    block({ moving: [200], waiting: [100], collective: [300], exposed: [50], stepBytes: [37], total: [1] }),
  ]);
  assert.deepEqual(values(found), { moving: 200, waiting: 100, collective: 300, exposed: 50, stepBytes: 37 });
  assert.equal(named(found, 'exposed')?.unit, 'ns');
});

test('parts are means per launch, then over launches; what steps leave of the total is unattributed', () => {
  const found = partsOf(controlpath, [
    block({ post: [100, 300], completion: [700, 700], total: [900, 1100], doorbells: [1, 1] }),
    block({ post: [500], completion: [400], total: [1000], doorbells: [1] }, 1),
    block({ post: [9], completion: [9], total: [99], doorbells: [7] }, 1, 'pipelined'),
  ]);
  assert.deepEqual(values(found), {
    post: 350,
    completion: 550,
    total: 1000,
    doorbells: 1,
    unattributed: 100,
  });
  const rest = named(found, 'unattributed');
  assert.deepEqual([rest?.unit, rest?.launchValues], ['ns', [1000 - 200 - 700, 1000 - 500 - 400]]);
  assert.equal(named(found, 'doorbells')?.unit, '1');
});

test('times are of the middle half of each launch by its total, the same operations for every step', () => {
  // One operation in eight was preempted in its completion, in both launches; steps still add up to the total.
  const completion = [70, 9000, 72, 71, 69, 73, 68, 74];
  const post = [10, 11, 12, 10, 11, 12, 10, 11];
  const total = completion.map((ns, i) => ns + Number(post[i]) + 1);
  const found = partsOf(controlpath, [
    block({ post, completion, total }),
    block({ post, completion, total }, 1),
  ]);
  const middle = [2, 3, 4, 5]; // totals 85, 82, 81, 86; left out: 79 and the first 81, the last 86 and 9012
  const over = (column: number[], places: number[]) =>
    places.reduce((sum, i) => sum + Number(column[i]), 0) / places.length;
  assert.equal(named(found, 'total')?.value, over(total, middle));
  assert.equal(named(found, 'completion')?.value, over(completion, middle));
  assert.equal(named(found, 'unattributed')?.value, 1);
  assert.deepEqual(named(found, 'post')?.operations, {
    used: 8,
    of: 16,
    meanOfAll: over(post, [0, 1, 2, 3, 4, 5, 6, 7]),
  });
  assert.ok(Number(named(found, 'total')?.operations?.meanOfAll) > 1000);
});

test('counts are of all operations, with the fewest and the most', () => {
  const found = partsOf(controlpath, [
    block({ total: [5, 5, 5, 500], wakeups: [1, 1, 1, 5], doorbells: [1, 1, 1, 1] }),
  ]);
  assert.deepEqual(
    [named(found, 'wakeups')?.value, named(found, 'wakeups')?.range],
    [2, { low: 1, high: 5 }],
  );
  assert.deepEqual(named(found, 'doorbells')?.range, { low: 1, high: 1 });
});

test('a step without a column has no figure; without a total nothing is unattributed', () => {
  assert.deepEqual(values(partsOf(controlpath, [block({ ring: [5], doorbells: [32] })])), {
    ring: 5,
    doorbells: 32,
  });
  assert.deepEqual(partsOf(controlpath, [testBlock([1000])]), []);
});

test('a column that the row does not have is no figure', () => {
  assert.deepEqual(values(partsOf(controlpath, [block({ total: [10], other: [3] })])), { total: 10 });
});
