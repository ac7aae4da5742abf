import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectives } from '../results/schema/index.ts';
import { refusalText } from '../results/testing/refused.ts';
import { generateSizes, maximumSizes, nearestSizes, parseSize, planSizes } from './sizes.ts';

for (const [text, bytes] of [
  ['0', 0],
  ['8', 8],
  ['1K', 1024],
  ['1k', 1024],
  ['64M', 64 * 2 ** 20],
  ['1G', 2 ** 30],
  ['1.5M', 1.5 * 2 ** 20],
  ['2KiB', 2048],
  ['512B', 512],
] as const) {
  test(`the size ${text} is ${bytes} bytes`, () => assert.equal(parseSize(text), bytes));
}

for (const text of ['', 'lots', '-8', '1e3', '8 8', '0x10', '1.3K', 'NaN', 'Infinity', '9999999T']) {
  test(`'${text}' is no size`, () => assert.equal(parseSize(text), null));
}

test('a factor multiplies, includes both ends and leaves 0 by way of one element', () => {
  const sizes = (min: number, max: number, factor: number) =>
    generateSizes({ kind: 'factor', min, max, factor }, 4);
  assert.deepEqual(sizes(8, 64, 2), [8, 16, 32, 64]);
  assert.deepEqual(sizes(8, 100, 4), [8, 32]);
  assert.deepEqual(sizes(0, 16, 2), [0, 4, 8, 16]);
  assert.deepEqual(sizes(8, 8, 2), [8]);
  assert.deepEqual(sizes(1, 4, 1.1), [1, 2, 3, 4], 'a factor near 1 still grows');
  assert.equal(sizes(8, 2 ** 30, 2).length, 28);
});

test('a step adds; a list keeps its order and drops repetitions', () => {
  assert.deepEqual(generateSizes({ kind: 'step', min: 0, max: 10, step: 4 }, 4), [0, 4, 8]);
  assert.deepEqual(generateSizes({ kind: 'list', sizes: [64, 8, 64] }, 4), [64, 8]);
});

test('a sweep that nobody waits for is refused before it fills the memory', () => {
  assert.match(
    refusalText(() => generateSizes({ kind: 'step', min: 0, max: 2 ** 40, step: 8 }, 4)),
    new RegExp(maximumSizes.toLocaleString('en-US')),
  );
});

test('sizes are rounded down to whole elements per rank; what is left out has a reason', () => {
  const { points, skipped } = planSizes(collectives.allgather, 'float32', 3, [0, 8, 13, 16, 100]);
  assert.deepEqual(points, [
    { requestedBytes: 0, payloadBytes: 0, count: 0 },
    { requestedBytes: 13, payloadBytes: 12, count: 1 },
    { requestedBytes: 100, payloadBytes: 96, count: 8 },
  ]);
  assert.deepEqual(
    skipped.map(({ requestedX }) => requestedX),
    [8, 16],
  );
  assert.match(skipped[0]?.reason ?? '', /8 B is less than one float32 for each of 3 ranks/);
  assert.match(skipped[1]?.reason ?? '', /rounded to 12 B \(whole elements per rank\); same as 13 B/);
});

test("the count of allreduce is the whole vector, that of reducescatter one rank's part", () => {
  const count = (name: 'allreduce' | 'reducescatter') =>
    planSizes(collectives[name], 'float64', 4, [1024]).points[0]?.count;
  assert.equal(count('allreduce'), 128);
  assert.equal(count('reducescatter'), 32);
});

test('the nearest whole sizes are named', () => {
  assert.equal(nearestSizes(7, 8), '8');
  assert.equal(nearestSizes(1025, 4), '1K or 1028');
});
