import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { Refusal } from '../../results/refusals/refusal.ts';
import { textOf } from '../../results/refusals/words.ts';
import type { WorkInput } from '../plan-input.ts';
import { matrixPlanning } from './matrix.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'traffic-'));
after(() => rmSync(folder, { recursive: true }));

const input: WorkInput = {
  typed: ['collbench', 'alltoallv'],
  command: 'alltoallv',
  words: { matrix: 'uneven' },
  engine: 'cpu',
  algorithm: null,
  ranks: 2,
  inProcess: false,
  transports: [{ name: 'socket', medium: 'hardware', detail: {}, options: {} }],
  dtypes: ['float32'],
  ops: ['sum'],
  roots: [0],
  inPlace: [false],
  sizes: { kind: 'list', sizes: [64] },
};

const planned = (matrix: string, more: Partial<WorkInput> = {}) =>
  matrixPlanning.points({ ...input, ...more, words: { matrix } });

function refused(matrix: string, more: Partial<WorkInput>): string {
  try {
    planned(matrix, more);
  } catch (error) {
    if (error instanceof Refusal) return textOf(error);
    throw error;
  }
  return 'accepted';
}

function fileOf(text: string): string {
  const file = path.join(folder, 'm.txt');
  writeFileSync(file, text);
  return file;
}

test('without --matrix the points are those of the collective, so that results of earlier runs stay comparable', () => {
  assert.deepEqual(planned('uneven').points, [
    {
      workload: 'collective',
      axes: { collective: 'alltoallv', dtype: 'float32', op: null, root: null, inPlace: false, bytes: 64 },
      requestedX: 64,
      count: 8,
    },
  ]);
});

test('a point per size and matrix, those of a size adjacent; the script has the elements', () => {
  const { points } = planned('uniform,diagonal', { sizes: { kind: 'list', sizes: [64, 128] } });
  assert.deepEqual(
    points.map(({ axes, script }) => [axes.matrix, axes.bytes, script]),
    [
      ['uniform', 64, '8 8\n8 8'],
      ['diagonal', 64, '0 16\n16 0'],
      ['uniform', 128, '16 16\n16 16'],
      ['diagonal', 128, '0 32\n32 0'],
    ],
  );
  assert.equal(matrixPlanning.checkedRanks({ axes: points[0]?.axes ?? {}, ranks: 2 }), 2);
});

test('another number of ranks gets the same matrix at the same requested size', () => {
  const [point] = planned('diagonal', { sizes: { kind: 'list', sizes: [100] } }).points;
  assert.ok(point !== undefined);
  const at3 = matrixPlanning.pointFor(point, 3);
  assert.deepEqual([at3.axes.bytes, at3.script], [96, '0 24 0\n0 0 24\n24 0 0']);
});

test('a matrix from a file is measured as it is, at the size that it states', () => {
  const { points } = planned(fileOf('0 64\n4 0\n'));
  const [point] = points;
  assert.equal(points.length, 1);
  assert.equal(point?.script, '0 16\n1 0');
  assert.equal(point?.axes.bytes, 34);
  assert.deepEqual([point?.axes.busiestBytes, point?.axes.sentBytes, point?.axes.receivers], [64, 68, 2]);
});

test('a matrix that does not fit ranks or data type is refused, with what is allowed', () => {
  const file = fileOf('0 64\n6 0\n');
  assert.match(refused(file, { ranks: 3 }), /matrix m\.txt is for 2 ranks, not 3/);
  assert.match(refused(file, {}), /the 6 B from rank 1 to rank 0 are no whole number of float32/);
  assert.equal(refused(file, { dtypes: ['uint8'] }), 'accepted');
  assert.match(refused('hot:3', {}), /hot:3 has more hot ranks than the run ranks: 2/);
  assert.match(refused('uniform', { ranks: 257 }), /257 ranks are too many/);
});
