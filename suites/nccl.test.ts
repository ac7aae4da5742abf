import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BlockRequest, RunPlan } from '../results/schema/index.ts';
import { transportOf } from '../results/schema/index.ts';
import { seriesOf } from './engines/nccl/series.ts';
import { makePlan, type PlanInput } from './plan.ts';
import { schedule } from './schedule.ts';
import { suffixOf } from './testing/suffix.ts';

function planOf(
  sizes: number[],
  parts: Partial<PlanInput> = {},
  sampling: Partial<RunPlan['sampling']> = {},
) {
  return makePlan({
    typed: [],
    command: 'allreduce',
    words: {},
    engine: 'nccl',
    algorithm: null,
    ranks: 2,
    host: 'here',
    inProcess: false,
    transports: ['p2p', 'socket'].map((name) => ({ name, medium: 'hardware', detail: {}, options: {} })),
    dtypes: ['float32'],
    ops: ['sum'],
    roots: [0],
    inPlace: [false],
    sizes: { kind: 'list', sizes },
    sampling: {
      launches: 3,
      warmup: 5,
      iterations: null,
      batch: 0,
      check: 16,
      timeoutS: 60,
      seed: 1,
      attest: true,
      ...sampling,
    },
    ...parts,
  });
}

const isAttest = ({ trial }: BlockRequest) => trial === 'attest';

test('one launch per transport attests every point before anything is timed, then ends', () => {
  const blocks = schedule(planOf([8, 1024, 2 ** 20]));
  const attests = blocks.filter(isAttest);
  assert.deepEqual(
    blocks
      .slice(0, 6)
      .map(({ transport, point, launch, endsLaunch }) => [transport, point, launch, endsLaunch]),
    [
      [0, 0, 3, undefined],
      [0, 1, 3, undefined],
      [0, 2, 3, true],
      [1, 0, 3, undefined],
      [1, 1, 3, undefined],
      [1, 2, 3, true],
    ],
  );
  assert.equal(attests.length, 6);
  for (const { warmup, minSamples, maxSamples, batch, check, completesCell } of attests) {
    assert.deepEqual(
      [warmup, minSamples, maxSamples, batch, check, completesCell],
      [1, 1, 1, 1, true, false],
    );
  }
  for (const block of blocks.slice(6)) assert.ok(block.launch < 3 && block.endsLaunch === undefined);
});

test('--no-attest leaves the launch out; the checks that are due follow', () => {
  const plan = planOf([8]);
  const without = planOf([8], {}, { attest: false });
  assert.equal(schedule(without).some(isAttest), false);
  assert.equal(
    plan.expected.checks - without.expected.checks,
    2 * 2,
    'one block on each rank of each transport',
  );
  assert.equal(planOf([8], {}, { check: 0 }).expected.checks, 0);
  assert.equal(plan.expected.cells, without.expected.cells);
});

test('a pipelined sample has 20 operations as in nccl-tests, fewer where they last', () => {
  const batches = (bytes: number) => {
    const blocks = schedule(planOf([bytes])).filter(({ trial }) => trial === 'pipelined');
    return [0, 1].map((over) => blocks.find(({ transport }) => transport === over)?.batch);
  };
  assert.deepEqual(batches(8), [20, 20]);
  assert.deepEqual(batches(2 ** 28), [20, 5]);
  assert.deepEqual(batches(2 ** 30), [20, 2]);
});

for (const iterations of [1, 20, 60, 101, 1000]) {
  test(`--iters ${iterations}: exactly so many isolated samples and pipelined operations per launch`, () => {
    const blocks = schedule(planOf([8], {}, { iterations })).filter(
      (block) => block.transport === 0 && block.launch === 1,
    );
    const sum = (trial: string) =>
      blocks
        .filter((block) => block.trial === trial)
        .reduce((total, { maxSamples, batch }) => total + maxSamples * batch, 0);
    assert.deepEqual([sum('isolated'), sum('pipelined')], [iterations, iterations]);
  });
}

test('buffers of a GiB on a GPU are given back when another launch measures next, smaller ones stay', () => {
  const blocks = schedule(planOf([2 ** 28, 2 ** 30])).filter((block) => !isAttest(block));
  assert.equal(
    blocks.some(({ point, release }) => point === 0 && release),
    false,
  );
  assert.equal(blocks.filter(({ point, release }) => point === 1 && release).length, 6);
});

test('the default sweep over NVLink is a matter of minutes', () => {
  const { estimateS } = planOf([], { sizes: { kind: 'factor', min: 8, max: 2 ** 30, factor: 2 } });
  assert.ok(estimateS > 10 && estimateS < 300, `${estimateS} s`);
});

test('series: transports times algorithms times protocols, named and set as NCCL spells them', () => {
  const { series, leftOut } = seriesOf('allreduce', ['auto', 'ring', 'nvls'], ['auto', 'LL']);
  assert.deepEqual(
    series.map((one) => [suffixOf(one), one.settings]),
    [
      ['', undefined],
      ['@LL', { proto: 'LL' }],
      ['@ring', { algo: 'Ring' }],
      ['@ring/LL', { algo: 'Ring', proto: 'LL' }],
      ['@nvls', { algo: 'NVLS' }],
    ],
  );
  assert.deepEqual(leftOut, [{ name: 'nvls with LL', reason: 'nvls runs Simple only' }]);
  assert.equal(transportOf({ name: 'socket@ring/LL' }), 'socket');
  assert.equal(transportOf({ name: 'plugin:/home/a@b/x.so' }), 'plugin:/home/a@b/x.so');
});

test('series: what a collective has no algorithm for is left out with the reason', () => {
  const { series, leftOut } = seriesOf('broadcast', ['ring', 'tree'], ['auto']);
  assert.deepEqual(series.map(suffixOf), ['@ring']);
  assert.deepEqual(leftOut, [{ name: 'tree', reason: 'NCCL has none for broadcast, only ring' }]);
  const exchange = seriesOf('alltoall', ['ring'], ['auto']);
  assert.deepEqual([exchange.series.length, exchange.leftOut.length], [0, 1]);
  assert.match(exchange.leftOut[0]?.reason ?? '', /alltoall is made of sends and receives/);
});
