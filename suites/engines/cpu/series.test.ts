import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ncclFlags } from '../nccl/flags.ts';
import { seriesOf } from './series.ts';

const namesOf = (command: string, words: readonly string[]): string[] =>
  seriesOf(command, words).series.map(({ suffix }) => suffix);

test('every algorithm is a series of its own, with the word that ranks know', () => {
  assert.deepEqual(seriesOf('allreduce', ['auto', 'recursive-doubling']).series, [
    { suffix: '', settings: undefined },
    { suffix: '@recursive-doubling', settings: { algo: 'recursive-doubling' } },
  ]);
});

test('"all" is what the collective has', () => {
  assert.deepEqual(namesOf('reduce', ncclFlags.algo.parse('all')), [
    '',
    '@direct',
    '@ring',
    '@binomial',
    '@double-binary-tree',
  ]);
});

test('a step of several collectives takes any algorithm; messages have none', () => {
  assert.deepEqual(namesOf('replay', ['ring', 'halving-doubling']), ['@ring', '@halving-doubling']);
  assert.deepEqual(seriesOf('put', ['ring']).leftOut, ['ring: put has no algorithm to choose']);
});
