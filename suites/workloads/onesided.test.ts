import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onesided } from '../../results/schema/index.ts';
import { defaultsOf } from '../options/option.ts';
import { ValueError } from '../options/values.ts';
import type { WorkInput } from '../plan-input.ts';
import { onesidedPlanning } from './onesided.ts';

const usual = defaultsOf(onesidedPlanning.options);

const input = (command: string, words: Record<string, string>, sizes: number[]): WorkInput => ({
  typed: ['collbench', command],
  command,
  words: { ...usual, ...words },
  engine: 'nvshmem',
  algorithm: null,
  ranks: 2,
  inProcess: false,
  transports: [{ name: 'p2p', medium: 'hardware', detail: { adapter: 'NVLink' }, options: {} }],
  dtypes: ['float32'],
  ops: ['sum'],
  roots: [0],
  inPlace: [false],
  sizes: { kind: 'list', sizes },
});

const planned = (command: string, words: Record<string, string> = {}, sizes: number[] = [8]) =>
  onesidedPlanning.points(input(command, words, sizes));

test('without options: NVSHMEM calls of one thread, one warp and one block, each operation complete at once', () => {
  const { points, skipped } = planned('device-put');
  assert.deepEqual(
    points.map(({ axes }) => axes),
    ['thread', 'warp', 'block'].map((scope) => ({
      operation: 'device-put',
      mover: 'nvshmem',
      scope,
      callers: 1,
      window: 1,
      bytes: 8,
    })),
  );
  assert.deepEqual(skipped, []);
});

test('bulk copies and the copy engine are measured beside blocks, and nowhere else', () => {
  const { points, skipped } = planned('device-put', {
    mover: 'nvshmem,bulk,copy-engine',
    scope: 'warp,block',
    callers: '128',
  });
  assert.deepEqual(
    points.map(({ axes }) => [axes.mover, axes.scope]),
    [
      ['nvshmem', 'warp'],
      ['nvshmem', 'block'],
      ['bulk', 'block'],
      ['copy-engine', 'block'],
    ],
  );
  assert.deepEqual(
    skipped.map(({ reason }) => reason),
    ['mover bulk needs --scope block', 'mover copy-engine needs --scope block'],
  );
});

test('words, atomics and signals are of NVSHMEM; a signal may have no bytes', () => {
  assert.deepEqual(
    planned('device-p', { mover: 'vector', scope: 'warp' }).skipped.map(({ reason }) => reason),
    ['mover vector is for device-put and device-get'],
  );
  assert.deepEqual(
    planned('device-fetch-add', { scope: 'thread' }, [0, 4096]).points.map(({ requestedX }) => requestedX),
    [8],
  );
  assert.deepEqual(
    planned('device-signal', { scope: 'thread', window: '1,64' }, [0]).points.map(({ axes }) => [
      axes.bytes,
      axes.window,
    ]),
    [[0, 1]],
  );
  assert.deepEqual(
    planned('device-put', { scope: 'thread' }, [0]).skipped.map(({ reason }) => reason),
    ['device-put needs at least 1 byte'],
  );
});

test('what cannot be is refused where it is typed', () => {
  const check = (name: string, text: string) => () => onesidedPlanning.options[name]?.coerce(text);
  for (const [name, text] of [
    ['mover', 'dma'],
    ['scope', 'kernel'],
    ['callers', '0'],
    ['callers', '65537'],
    ['window', ''],
  ] as const)
    assert.throws(check(name, text), ValueError, `${name} ${text}`);
  assert.doesNotThrow(check('window', '1, 65536'));
});

test('the command that measures a point again plans that point alone', () => {
  const { points } = planned('device-get', { mover: 'vector,bulk', callers: '4,8', window: '16' }, [4096]);
  assert.equal(points.length, 8);
  for (const point of points) {
    const [command, ...words] = onesidedPlanning.words(point);
    const said = Object.fromEntries(
      words.flatMap((word, i) => (i % 2 === 0 ? [[word.slice(2), words[i + 1] ?? '']] : [])),
    );
    const { sizes, ...others } = said;
    assert.deepEqual([command, sizes], ['device-get', '4K']);
    assert.deepEqual(planned('device-get', others, [4096]).points, [point]);
  }
});

test('rates count the callers of all pairs; a launch holds so many operations that it does not count', () => {
  const place = (axes: Record<string, unknown>, ranks = 2) => ({
    ranks,
    axes: { mover: 'nvshmem', scope: 'block', callers: 128, window: 1, ...axes } as Record<
      string,
      string | number
    >,
  });
  const put = place({ operation: 'device-put', bytes: 2 ** 21 }, 4);
  const figures = Object.fromEntries(
    onesided.derive(put, 'latency', 1e6).map(({ name, value }) => [name, value]),
  );
  assert.deepEqual(figures, { bandwidth: (2 ** 21 * 256) / 1e6, rate: 256_000 });
  const perLaunch = (axes: Record<string, unknown>): number => onesided.unitsPerOperation?.(place(axes)) ?? 0;
  assert.equal(perLaunch({ operation: 'device-put', bytes: 2 ** 21 }), 4);
  assert.equal(perLaunch({ operation: 'device-put', bytes: 2 ** 16 }), 32);
  assert.equal(perLaunch({ operation: 'device-p', bytes: 8, callers: 1 }), 256);
  assert.equal(perLaunch({ operation: 'device-signal', bytes: 0, callers: 1 }), 512);
  assert.equal(perLaunch({ operation: 'device-put', bytes: 8, callers: 1, mover: 'copy-engine' }), 4);
  const byOne = ['thread', 'warp', 'block'].map((scope) =>
    perLaunch({ operation: 'device-put', bytes: 2 ** 16, callers: 1, scope }),
  );
  assert.deepEqual(byOne, [4, 32, 256]);
});
