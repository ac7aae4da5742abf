import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gradientBytes, train, trainAxes } from '../../results/schema/index.ts';
import { defaultsOf } from '../options/option.ts';
import { ValueError } from '../options/values.ts';
import type { WorkInput } from '../plan-input.ts';
import { trainPlanning } from './train.ts';

const usual = defaultsOf(trainPlanning.options);
const input: WorkInput = {
  typed: ['collbench', 'train'],
  command: 'train',
  words: usual,
  engine: 'torch',
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
const planned = (words: Record<string, string>) =>
  trainPlanning.points({ ...input, words: { ...usual, ...words } }).points;

test('each configuration is planned undisturbed and, beside it, under the profiler', () => {
  const points = planned({ model: 'resnet50,tiny', 'batch-size': '16,32' });
  assert.equal(points.length, 2 * 2 * 2);
  assert.deepEqual(
    points.slice(0, 2).map(({ axes }) => [axes.model, axes.batch, axes.observed]),
    [
      ['resnet50', 16, 'none'],
      ['resnet50', 16, 'profiler'],
    ],
  );
  assert.equal(planned({ observed: 'none' }).length, 1);
  assert.equal(planned({ 'bucket-mib': '50' })[0]?.axes.bucketMiB, 50);
});

test('words of a point measure the same point again', () => {
  for (const point of planned({ model: 'all', numerics: 'all', 'bucket-mib': '25', compiled: 'true' })) {
    const [, ...words] = trainPlanning.words(point);
    const pairs = words.flatMap((word, i) => (i % 2 === 0 ? [[word.slice(2), words[i + 1] ?? '']] : []));
    assert.deepEqual(planned(Object.fromEntries(pairs))[0]?.axes, point.axes);
  }
});

test('values that cannot be are refused', () => {
  const check = (name: string, text: string) => trainPlanning.options[name]?.coerce(text);
  for (const [name, text] of [
    ['model', 'resnet51'],
    ['batch-size', '0'],
    ['batch-size', ''],
    ['image', '1.5'],
    ['bucket-mib', '-1'],
    ['observed', 'sometimes'],
    ['compiled', 'perhaps'],
  ] as const)
    assert.throws(() => check(name, text), ValueError, `${name} ${text}`);
});

test('gradients of ResNet50 are 102 MB; among four ranks they are sent six times, and images count all ranks', () => {
  const axes = trainAxes.parse(planned({})[0]?.axes);
  assert.equal(gradientBytes(axes), 102_228_128);
  assert.equal(gradientBytes({ ...axes, numerics: 'bf16' }), 51_114_064);
  assert.equal(gradientBytes({ ...axes, numerics: 'amp-bf16' }), 102_228_128);
  assert.equal(train.minMovedBytes({ axes, ranks: 4 }, ''), 6 * 102_228_128);
  assert.deepEqual(train.derive({ axes, ranks: 4 }, 'pipelined', 1e9), [{ name: 'images', value: 128 }]);
});

test('a single rank is planned undisturbed alone, with the reason', () => {
  const { points, skipped } = trainPlanning.points({ ...input, ranks: 1, words: usual });
  assert.deepEqual(
    points.map(({ axes }) => axes.observed),
    ['none'],
  );
  assert.match(skipped[0]?.reason ?? '', /exchanges nothing/);
});

test('a step of ResNet50 is thought to take tens of milliseconds on a GPU, and seconds on a CPU', () => {
  const place = { axes: trainAxes.parse(planned({})[0]?.axes), ranks: 2 };
  const [gpuNs, cpuNs] = [trainPlanning.fixedNs(place, true), trainPlanning.fixedNs(place)];
  assert.ok(gpuNs > 5e6 && gpuNs < 200e6, `${gpuNs}`);
  assert.ok(cpuNs > 2e9 && cpuNs < 200e9, `${cpuNs}`);
});
