import assert from 'node:assert/strict';
import { test } from 'node:test';
import { osuArguments, osuSizes } from './osu.ts';

const asked = { min: 8, max: 4096, factor: 4, dtype: 'float32', op: 'sum' } as const;

test('sizes are payloads: of all ranks where each has a part', () => {
  assert.deepEqual(osuSizes('allreduce', asked, 3).sizes, [8, 32, 128, 512, 2048]);
  assert.deepEqual(osuSizes('allgather', asked, 2).sizes, [8, 32, 128, 512, 2048]);
  // Each size is three parts of OSU's size column: 4, 16, 64 ... bytes.
  assert.deepEqual(osuSizes('allgather', asked, 3).sizes, [12, 48, 192, 768, 3072]);
  assert.match(osuArguments('allgather', asked, 3, true).join(' '), /^-m 4:1365 .* -x 20$/);
});

test('a reduce-scatter without whole elements for each rank is skipped', () => {
  assert.deepEqual(osuSizes('reducescatter', asked, 2).sizes, [8, 32, 128, 512, 2048]);
  const { sizes, skipped } = osuSizes('reducescatter', asked, 3);
  assert.deepEqual(sizes, []);
  assert.equal(skipped.length, 5);
});
