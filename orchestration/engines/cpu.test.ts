import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choiceLines } from './cpu.ts';

const auto = {};
const words = '2:65536/recursive-doubling,1048576/halving-doubling,/ring;3:/direct';

test('--explain names the algorithm of each size for the ranks of the run', () => {
  assert.deepEqual(choiceLines(words, 2, auto), [
    '  algorithm, 2 ranks: recursive-doubling up to 64 KiB, halving-doubling up to 1 MiB, ring above',
  ]);
  assert.deepEqual(choiceLines(words, 3, auto), ['  algorithm, 3 ranks: direct']);
});

test('ranks that are not named take what fewer do, powers of two and others each for themselves; nothing is chosen with --algo, or where there is nothing to choose', () => {
  const many = `${words};17:/ring;32:/bruck`;
  assert.deepEqual(choiceLines(many, 48, auto), ['  algorithm, 48 ranks: ring']);
  assert.deepEqual(choiceLines(many, 64, auto), ['  algorithm, 64 ranks: bruck']);
  assert.deepEqual(choiceLines(words, 1, auto), []);
  assert.deepEqual(choiceLines(words, 2, { algo: 'bruck' }), []);
  assert.deepEqual(choiceLines(undefined, 2, auto), []);
});

test('a protocol stands behind its algorithm, unless one is asked for', () => {
  const flagged = '2:32/direct/ll,512/direct,/ring';
  assert.deepEqual(choiceLines(flagged, 2, auto), [
    '  algorithm, 2 ranks: direct/ll up to 32 B, direct up to 512 B, ring above',
  ]);
  assert.deepEqual(choiceLines(flagged, 2, { proto: 'simple' }), [
    '  algorithm, 2 ranks: direct up to 512 B, ring above',
  ]);
});
