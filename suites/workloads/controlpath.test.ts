import assert from 'node:assert/strict';
import { test } from 'node:test';
import { controlpath } from '../../results/schema/index.ts';
import { defaultsOf } from '../options/option.ts';
import { ValueError } from '../options/values.ts';
import type { WorkInput } from '../plan-input.ts';
import { carriersOf, suggestRanks } from '../planning/carriers.ts';
import { controlpathPlanning } from './controlpath.ts';
import { commandNamed } from './index.ts';

const usual = defaultsOf(controlpathPlanning.options);

const input = (words: Record<string, string>, sizes: number[] = [8]): WorkInput => ({
  typed: ['collbench', 'controlpath'],
  command: 'controlpath',
  words: { ...usual, ...words },
  engine: 'cpu',
  algorithm: null,
  ranks: 2,
  inProcess: false,
  transports: [{ name: 'ibgda', medium: 'emulated', detail: { softwareCard: 'softmlx5' }, options: {} }],
  dtypes: ['float32'],
  ops: ['sum'],
  roots: [0],
  inPlace: [false],
  sizes: { kind: 'list', sizes },
});

const planned = (words: Record<string, string>, sizes?: number[]) =>
  controlpathPlanning.points(input(words, sizes));

test('without options: all five paths, triggered by blocks, one put on one queue', () => {
  const { points, skipped } = planned({});
  assert.deepEqual(
    points.map(({ axes }) => axes),
    ['host', 'stream', 'proxy', 'triggered', 'kernel'].map((path) => ({
      path,
      granularity: path === 'triggered' ? 'block' : null,
      scope: 'thread',
      queues: 1,
      puts: 1,
      batch: 1,
      bytes: 8,
    })),
  );
  assert.deepEqual(skipped, []);
});

test('granularities multiply the triggered path alone', () => {
  const { points } = planned({ path: 'kernel,triggered', granularity: 'all' });
  assert.deepEqual(
    points.map(({ axes }) => [axes.path, axes.granularity]),
    [
      ['kernel', null],
      ['triggered', 'thread'],
      ['triggered', 'block'],
      ['triggered', 'kernel'],
    ],
  );
});

test('a doorbell takes a divisor of the puts; what does not divide is left out with the reason', () => {
  const { points, skipped } = planned({ path: 'kernel', puts: '1,32', 'per-doorbell': '1,4,32' });
  assert.deepEqual(
    points.map(({ axes }) => [axes.puts, axes.batch]),
    [
      [1, 1],
      [32, 1],
      [32, 4],
      [32, 32],
    ],
  );
  assert.deepEqual(
    skipped.map(({ reason }) => reason),
    ['4 puts per doorbell do not divide 1 put', '32 puts per doorbell do not divide 1 put'],
  );
});

test('sizes are powers of two from 8 B to 64 MiB; others are left out with the reason', () => {
  const { points, skipped } = planned({ path: 'host' }, [0, 4, 8, 12, 2 ** 26, 2 ** 27]);
  assert.deepEqual(
    points.map(({ axes }) => axes.bytes),
    [8, 2 ** 26],
  );
  assert.deepEqual(
    skipped.map(({ reason }) => reason),
    [
      '0 B is less than 8 B',
      '4 B is less than 8 B',
      '12 B is not a power of two',
      '128 MiB is more than 64 MiB',
    ],
  );
});

test('numbers beyond what queues hold are refused where they are typed', () => {
  const check = (name: string, text: string) => () => controlpathPlanning.options[name]?.coerce(text);
  for (const [name, text] of [
    ['queues', '17'],
    ['puts', '129'],
    ['per-doorbell', '0'],
    ['puts', ''],
    ['path', 'gpu'],
    ['granularity', 'warp'],
    ['scope', 'kernel'],
  ] as const)
    assert.throws(check(name, text), ValueError, `${name} ${text}`);
  assert.doesNotThrow(check('queues', '1,16'));
});

test('only transports with queues for others can carry it, and only a pair of ranks has it', () => {
  assert.deepEqual(
    carriersOf(commandNamed('controlpath').workload, ['socket', 'sisci', 'ibgda', 'plugin:/x.so']),
    ['ibgda'],
  );
  assert.deepEqual(carriersOf(commandNamed('allreduce').workload, ['socket', 'ibgda']), ['socket', 'ibgda']);
  assert.deepEqual(
    [1, 3, 8].map((ranks) => suggestRanks(commandNamed('controlpath'), ranks)),
    [2, 2, 2],
  );
  assert.deepEqual(
    [suggestRanks(commandNamed('hypercube'), 7), suggestRanks(commandNamed('put'), 7)],
    [4, 6],
  );
});

test('the command that measures a point again plans that point alone', () => {
  const { points } = planned({ granularity: 'thread', queues: '4', puts: '32', 'per-doorbell': '4' }, [4096]);
  for (const point of points) {
    const [command, ...words] = controlpathPlanning.words(point);
    assert.equal(command, 'controlpath');
    const said = new Map(
      words.flatMap((word, i) => (i % 2 === 0 ? [[word.slice(2), words[i + 1] ?? '']] : [])) as [
        string,
        string,
      ][],
    );
    assert.equal(said.get('sizes'), '4K');
    said.delete('sizes');
    assert.deepEqual(planned(Object.fromEntries(said), [4096]).points, [point]);
  }
});

test('rates count all puts of an operation, and the other rank receives their bytes', () => {
  const axes = {
    path: 'kernel',
    granularity: null,
    scope: 'thread',
    queues: 4,
    puts: 32,
    batch: 32,
    bytes: 1024,
  };
  const place = { axes, ranks: 2 };
  assert.deepEqual(controlpath.derive(place, 'pipelined', 128_000), [
    { name: 'rate', value: 1e6 },
    { name: 'bandwidth', value: 1.024 },
  ]);
  assert.equal(controlpath.minMovedBytes(place, ''), 4 * 32 * 1024);
});
