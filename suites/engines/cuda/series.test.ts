import assert from 'node:assert/strict';
import { test } from 'node:test';
import { suffixOf, withSuffixes } from '../../testing/suffix.ts';
import { rejectionTexts } from '../named-series.ts';
import { cudaAlgorithmOptions, seriesOf } from './series.ts';

test('every algorithm is a series of its own, auto has no name', () => {
  const { series, leftOut } = seriesOf('allreduce', ['auto', 'staged']);
  assert.deepEqual(withSuffixes(series), [
    { suffix: '', settings: undefined },
    { suffix: '@staged', settings: { algo: 'staged' } },
  ]);
  assert.deepEqual(leftOut, []);
});

test('what a collective does not have is left out with what it has', () => {
  const { series, leftOut } = seriesOf('alltoall', ['ring', 'loads', 'packets']);
  assert.deepEqual(series.map(suffixOf), ['@packets']);
  assert.deepEqual(rejectionTexts(leftOut), ['ring, loads: alltoall has only packets, direct']);
  assert.deepEqual(rejectionTexts(seriesOf('controlpath', ['loads']).leftOut), [
    'loads: controlpath has no algorithm to choose',
  ]);
});

test('words of other engines do not disturb "all"', () => {
  const { series } = seriesOf('allreduce', ['ring', ...cudaAlgorithmOptions]);
  assert.deepEqual(series.map(suffixOf), ['', '@one-shot', '@two-shot', '@loads', '@staged']);
});
