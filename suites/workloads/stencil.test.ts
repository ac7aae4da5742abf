import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gridOf, haloPoints, rankGrid, stencil } from '../../results/schema/index.ts';
import { ValueError } from '../options/values.ts';
import type { WorkInput } from '../plan-input.ts';
import { gridsOf, stencilPlanning } from './stencil.ts';

test('ranks stand in columns and rows, as square as their number allows', () => {
  assert.deepEqual(
    [1, 2, 4, 6, 7, 8, 12, 16].map(rankGrid).map(({ columns, rows }) => `${columns}x${rows}`),
    ['1x1', '2x1', '2x2', '3x2', '7x1', '4x2', '4x3', '4x4'],
  );
});

test('halos: each border between two ranks is sent both ways', () => {
  assert.equal(haloPoints({ grid: 64, scaling: 'strong' }, 1), 0);
  assert.equal(haloPoints({ grid: 64, scaling: 'strong' }, 2), 2 * 64);
  assert.equal(haloPoints({ grid: 64, scaling: 'strong' }, 4), 2 * (64 + 64));
  assert.equal(haloPoints({ grid: 64, scaling: 'weak' }, 4), 2 * (128 + 128));
  assert.deepEqual(gridOf({ grid: 64, scaling: 'weak' }, 8), { width: 256, height: 128 });
});

test('grids: lists and ranges, each twice the one before', () => {
  assert.deepEqual(gridsOf('64..1024'), [64, 128, 256, 512, 1024]);
  assert.deepEqual(gridsOf('3..20, 100,6'), [3, 6, 12, 100]);
  for (const bad of ['', '0', '64..', '64..8', '1..2..3', 'x', '-1', '1.5', '2097152', '64,'])
    assert.throws(() => gridsOf(bad), ValueError, bad);
});

const input: WorkInput = {
  typed: ['collbench', 'stencil'],
  command: 'stencil',
  words: { grid: '1..4', scaling: 'strong', part: 'iteration', path: 'host' },
  engine: 'cpu',
  algorithm: null,
  ranks: 2,
  inProcess: false,
  transports: [{ name: 'socket', medium: 'hardware', detail: {}, options: {} }],
  dtypes: ['float32'],
  ops: ['sum'],
  roots: [0],
  inPlace: [false],
  sizes: { kind: 'list', sizes: [8] },
};

const planned = (words: Record<string, string>, ranks: number) =>
  stencilPlanning.points({ ...input, ranks, words: { ...input.words, ...words } });

test('a grid that is too small for the ranks is left out with the reason, as is the halo of one rank', () => {
  const { points, skipped } = planned({}, 7);
  assert.equal(points.length, 0);
  assert.deepEqual(skipped.at(-1), {
    what: 'stencil',
    requestedX: 4,
    reason: 'a grid of 4 x 4 points is too small for 7 x 1 ranks',
  });
  assert.equal(planned({ scaling: 'weak' }, 7).points.length, 3);
  assert.equal(planned({ part: 'halo' }, 1).skipped[0]?.reason, 'one rank has no halo');
});

test('rates count the whole grid, and an exchange its bytes', () => {
  const axes = { part: 'iteration', scaling: 'weak', dtype: 'float64', path: 'host', grid: 100 };
  assert.deepEqual(stencil.derive({ axes, ranks: 4 }, 'latency', 1000), [{ name: 'updates', value: 4e10 }]);
  const halo = { ...axes, part: 'halo' };
  assert.equal(stencil.minMovedBytes({ axes: halo, ranks: 4 }, ''), 8 * 2 * (200 + 200));
  assert.deepEqual(stencil.derive({ axes: halo, ranks: 4 }, 'latency', 640), [
    { name: 'exchanged', value: 10 },
  ]);
  assert.equal(stencil.minMovedBytes({ axes: { ...axes, part: 'update' }, ranks: 4 }, ''), 0);
});
