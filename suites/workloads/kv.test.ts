import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal } from '../../results/refusals/refusal.ts';
import { textOf } from '../../results/refusals/words.ts';
import { type KvAxes, kv, kvAxes, kvDescriptors, kvShapes } from '../../results/schema/index.ts';
import { defaultsOf } from '../options/option.ts';
import { doublingList, ValueError } from '../options/values.ts';
import type { WorkInput } from '../plan-input.ts';
import { kvPlanning } from './kv.ts';

const defaults: Record<string, string> = defaultsOf(kvPlanning.options);

const input: WorkInput = {
  typed: ['collbench', 'kv'],
  command: 'kv',
  words: { ...defaults, model: '4x8x128', tokens: '64' },
  engine: 'cpu',
  algorithm: null,
  ranks: 2,
  inProcess: false,
  transports: [{ name: 'shm', medium: 'hardware', detail: {}, options: {} }],
  dtypes: ['float32'],
  ops: ['sum'],
  roots: [0],
  inPlace: [false],
  sizes: { kind: 'list', sizes: [8] },
};

const planned = (words: Record<string, string>, ranks = 2): KvAxes[] =>
  kvPlanning
    .points({ ...input, ranks, words: { ...input.words, ...words } })
    .points.map(({ axes }) => kvAxes.parse(axes));

const first = (words: Record<string, string>, ranks = 2): KvAxes => planned(words, ranks)[0] as KvAxes;

function refusalOf(words: Record<string, string>, ranks: number | null): string {
  const options = { words: { ...input.words, ...words } };
  try {
    // Only the words of the workload are read.
    kvPlanning.requirePlannable?.('kv', options as never, {} as never, ranks);
  } catch (error) {
    assert.ok(error instanceof Refusal);
    return textOf(error);
  }
  return 'accepted';
}

test('the cache of a model has the bytes per token that its public configuration gives', () => {
  const perToken = (model: string) =>
    kv.payloadBytes({ axes: first({ model, tokens: '1', 'page-tokens': '1' }), ranks: 2 });
  assert.equal(perToken('llama-3.1-8b'), 2 * 32 * 8 * 128 * 2);
  assert.equal(perToken('llama-3.1-70b'), 327_680);
  assert.equal(perToken('llama-3.2-3b'), 114_688);
  assert.equal(perToken('qwen3-32b'), 262_144);
  // One latent of 512 + 64 elements per layer in place of keys and values.
  assert.equal(perToken('deepseek-v3'), 61 * 576 * 2);
  assert.equal(kvShapes.length, 5);
});

test('the last page is sent whole, and bytes per element count', () => {
  const bytes = (words: Record<string, string>) => kv.payloadBytes({ axes: first(words), ranks: 2 });
  assert.equal(bytes({ tokens: '33', 'page-tokens': '16' }), bytes({ tokens: '48', 'page-tokens': '16' }));
  assert.equal(bytes({ 'element-bytes': '1' }) * 2, bytes({ 'element-bytes': '2' }));
});

test('layout, schedule and the ranks of both sides decide the number of descriptors', () => {
  const count = (words: Record<string, string>, ranks = 2) => kvDescriptors(first(words, ranks));
  // Four pages and four layers.
  assert.equal(count({ layout: 'layer' }), 16);
  assert.equal(count({ layout: 'page' }), 4);
  assert.equal(count({ layout: 'contiguous' }), 1);
  assert.equal(count({ layout: 'page', schedule: 'by-layer' }), 16);
  assert.equal(count({ layout: 'contiguous', schedule: 'by-layer' }), 4);
  assert.equal(count({ layout: 'layer' }, 4), 2 * 16);
  assert.equal(count({ layout: 'page', tp: '2:1' }, 3), 2 * 2 * 16);
  assert.equal(count({ layout: 'contiguous', tp: '4:2' }, 6), 4);
});

test('half of the ranks compute the prompt unless both numbers are given', () => {
  assert.deepEqual(
    [first({}, 2), first({}, 4), first({ tp: '2:1' }, 3)].map(({ prefill, decode }) => [prefill, decode]),
    [
      [1, 1],
      [2, 2],
      [2, 1],
    ],
  );
});

test('every combination is a point, and the words of a point plan the same point', () => {
  const words = {
    transfer: 'all',
    schedule: 'all',
    layout: 'all',
    tokens: '64,100',
    model: '4x8x128,deepseek-v3',
  };
  const { points } = kvPlanning.points({ ...input, words: { ...input.words, ...words } });
  assert.equal(points.length, 2 * 2 * 3 * 2 * 2);
  for (const point of points) {
    const [command, model = '', ...flags] = kvPlanning.words(point);
    assert.equal(command, 'kv');
    const said = {
      model,
      ...Object.fromEntries(
        flags.flatMap((flag, i) => (i % 2 === 0 ? [[flag.slice(2), flags[i + 1] ?? '']] : [])),
      ),
    };
    assert.deepEqual(planned(said), [kvAxes.parse(point.axes)]);
  }
});

test('heads that the ranks cannot share are refused with the numbers that can, and a command that works', () => {
  assert.equal(
    refusalOf({ model: '4x6x64' }, 8),
    '4x6x64 has 6 KV heads, which 4 prefill ranks cannot share equally\n  allowed ranks on each side: 1, 2, 3, 6\nNext: the same command with --ranks 6',
  );
  assert.match(refusalOf({ model: 'deepseek-v3' }, 4), /has 1 KV head, which 2 prefill ranks/);
  assert.match(refusalOf({ tp: '8:3' }, 11), /3 decode ranks cannot[\s\S]*--tp 2:2, with --ranks 4$/);
  assert.match(refusalOf({ tp: '2:1' }, 2), /^--tp 2:1 needs 3 ranks; there are 2\n[\s\S]*--ranks 3$/);
  assert.equal(refusalOf({ tp: '2:1' }, null), 'accepted');
  assert.equal(refusalOf({}, 16), 'accepted');
  assert.equal(kvPlanning.refuses('kv', 1), 'needs 2 ranks or more');
  assert.equal(kvPlanning.refuses('kv', 2), null);
});

test('shapes, ranks of both sides and lists of tokens that are none are refused', () => {
  const { model, tp, tokens } = kvPlanning.options;
  for (const bad of [
    '',
    'x',
    '4x8',
    '4x8x128x2',
    '0x8x128',
    '4x2000x128',
    '2000x8x128',
    '1x1x9000',
    '4x8x-1',
  ])
    assert.throws(() => model?.coerce(bad), ValueError, bad);
  for (const bad of ['', '2', '2:', '0:1', '1:1:1', 'x:1'])
    assert.throws(() => tp?.coerce(bad), ValueError, bad);
  for (const bad of ['', '0', '64..', '9..8', '1..2..3', '1.5', '99999999'])
    assert.throws(() => tokens?.coerce(bad), ValueError, bad);
  assert.deepEqual(doublingList('number', 100)('3..20, 100,6'), [3, 6, 12, 100]);
});

test('bandwidth counts the whole cache, and the rate its descriptors', () => {
  const axes = first({ layout: 'page' });
  const bytes = kv.payloadBytes({ axes, ranks: 2 });
  assert.deepEqual(kv.derive({ axes, ranks: 2 }, 'latency', 1000), [
    { name: 'bandwidth', value: bytes / 1000 },
    { name: 'rate', value: 4e6 },
  ]);
});

test('a model that is not known is refused as such, not as a number', () => {
  const [, row] = Object.entries(kvPlanning.options).find(([name]) => name === 'model') ?? [];
  for (const word of ['nomodel', '4x8', '4x8x128x2', 'axbxc'])
    assert.throws(() => row?.coerce(word), /neither a known model nor LAYERSxHEADSxDIM/, word);
});
