import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editDistance, nearestWord } from './nearest.ts';

for (const [a, b, distance] of [
  ['', '', 0],
  ['abc', 'abc', 0],
  ['abc', '', 3],
  ['kitten', 'sitting', 3],
  ['transprot', 'transport', 1],
  ['itres', 'iters', 1],
] as const) {
  test(`'${a}' to '${b}' takes ${distance}`, () => assert.equal(editDistance(a, b), distance));
}

test('the nearest word is named, and none when nothing is like it', () => {
  assert.equal(nearestWord('alreduce', ['allgather', 'allreduce', 'reduce']), 'allreduce');
  assert.equal(nearestWord('frobnicate', ['allgather', 'allreduce']), null);
});

test('short words need a closer match, and of two equally similar words none is named', () => {
  assert.equal(nearestWord('mn', ['min', 'sum']), 'min');
  assert.equal(nearestWord('z', ['op', 'all']), null);
  assert.equal(nearestWord('float8', ['float16', 'float32', 'float64']), null);
});
