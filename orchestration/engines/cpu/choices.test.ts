import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choiceLines } from './index.ts';

const words = '2:65536/recursive-doubling,1048576/halving-doubling,/ring;3:/direct';

test('--explain names the algorithm of each size for the ranks of the run', () => {
  assert.deepEqual(choiceLines(words, 2, null), [
    '  algorithm, 2 ranks: recursive-doubling up to 64 KiB, halving-doubling up to 1 MiB, ring above',
  ]);
  assert.deepEqual(choiceLines(words, 3, ['auto', 'ring']), ['  algorithm, 3 ranks: direct']);
});

test('ranks that are not named take what fewer do, powers of two and others each for themselves; nothing is chosen with --algo, or where there is nothing to choose', () => {
  const many = `${words};17:/ring;32:/bruck`;
  assert.deepEqual(choiceLines(many, 48, null), ['  algorithm, 48 ranks: ring']);
  assert.deepEqual(choiceLines(many, 64, null), ['  algorithm, 64 ranks: bruck']);
  assert.deepEqual(choiceLines(words, 1, null), []);
  assert.deepEqual(choiceLines(words, 2, ['bruck']), []);
  assert.deepEqual(choiceLines(undefined, 2, null), []);
});
