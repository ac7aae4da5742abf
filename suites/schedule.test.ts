import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BlockRequest, RunPlan } from '../results/schema/index.ts';
import { makePlan } from './plan.ts';
import { schedule } from './schedule.ts';

function planOf(sizes: number[], sampling: Partial<RunPlan['sampling']> = {}): RunPlan {
  return makePlan({
    typed: [],
    command: 'allreduce',
    words: {},
    engine: 'cpu',
    algorithm: null,
    ranks: 2,
    host: 'here',
    inProcess: false,
    transports: ['socket', 'sisci'].map((name) => ({ name, medium: 'hardware', detail: {}, options: {} })),
    dtypes: ['float32'],
    ops: ['sum'],
    roots: [0],
    inPlace: [false],
    sizes: { kind: 'list', sizes },
    sampling: {
      launches: 3,
      apart: true,
      warmup: 5,
      iterations: null,
      batch: 0,
      check: 16,
      timeoutS: 60,
      seed: 1,
      ...sampling,
    },
  });
}

const launchOf = ({ transport, launch }: BlockRequest) => `${transport}/${launch}`;

test('every cell has both trials from every launch of every transport, and is completed once, by its last block', () => {
  const plan = planOf([8, 2 ** 20, 2 ** 28]);
  const blocks = schedule(plan);
  for (let point = 0; point < 3; point++) {
    for (let transport = 0; transport < 2; transport++) {
      const mine = blocks.filter((block) => block.point === point && block.transport === transport);
      const kinds = new Set(mine.map(({ launch, trial }) => `${launch} ${trial}`));
      assert.equal(kinds.size, 3 * 2);
      assert.deepEqual(
        mine.map((block) => block.completesCell),
        mine.map((_, i) => i === mine.length - 1),
      );
    }
  }
});

test('launches are apart in time: each goes over all points before the next begins', () => {
  const order = schedule(planOf([8, 64, 1024])).map(({ launch, point }) => `${launch} ${point}`);
  assert.deepEqual(order, order.toSorted());
  assert.equal(new Set(order).size, 9);
});

test('a long run goes lap by lap, so that rows are finished on the way', () => {
  const sizes = Array.from({ length: 12 }, (_, i) => 2 ** (20 + (i % 9)));
  const blocks = schedule(planOf([...new Set(sizes)], { iterations: 2000 }));
  const done = blocks.flatMap(({ completesCell }, i) => (completesCell ? [i / blocks.length] : []));
  assert.ok(done[0] !== undefined && done[0] < 0.5, `the first row after ${done[0]}`);
  for (const point of new Set(blocks.map((block) => block.point))) {
    const launches = blocks.flatMap((block) => (block.point === point ? [block.launch] : []));
    assert.deepEqual(launches, launches.toSorted(), 'a launch of a point is done with before the next');
  }
});

test('the order is random, the same for the same seed, another for another', () => {
  const order = (seed: number) =>
    schedule(planOf([8], { seed }))
      .map(launchOf)
      .join(' ');
  assert.equal(order(7), order(7));
  assert.notEqual(order(7), order(8));
  const blocks = schedule(planOf([8], { seed: 7 }));
  const changes = blocks.filter((block, i) => i > 0 && block.transport !== blocks[i - 1]?.transport).length;
  assert.ok(changes > 4, 'transports take turns within a cell');
});

test('large buffers are given back exactly when another launch measures next', () => {
  const blocks = schedule(planOf([8, 2 ** 28]));
  const small = blocks.filter(({ point }) => point === 0);
  assert.ok(small.every(({ release }) => !release));
  const large = blocks.filter(({ point }) => point === 1);
  large.forEach((block, i) => {
    const next = large[i + 1];
    assert.equal(block.release, next === undefined || launchOf(next) !== launchOf(block));
  });
  assert.equal(large.filter(({ release }) => release).length, 6, 'once for each launch');
});

test('large buffers are given back before a small size of the same launch, so that no two launches have theirs', () => {
  const plan = planOf([2 ** 28, 8]);
  const single = { ...plan, transports: plan.transports.slice(0, 1) };
  const large = schedule(single).filter(({ point }) => point === 0);
  const held = new Set<number>();
  for (const { launch, release } of large) {
    held.add(launch);
    assert.deepEqual([...held], [launch]);
    if (release) held.delete(launch);
  }
  assert.equal(held.size, 0);
});

test('huge messages keep three isolated samples and two pipelined operations per launch', () => {
  for (const block of schedule(planOf([2 ** 30]))) {
    if (block.trial === 'isolated') assert.deepEqual([block.minSamples, block.maxSamples], [3, 3]);
    else assert.equal(block.maxSamples * block.batch, 2);
    assert.equal(block.warmup, 1);
  }
});

for (const iterations of [1, 2, 7, 20, 100, 101]) {
  test(`--iters ${iterations}: exactly so many isolated samples and pipelined operations per launch`, () => {
    const blocks = schedule(planOf([8, 2 ** 28], { iterations, warmup: 0 }));
    for (const point of [0, 1]) {
      const mine = blocks.filter(
        (block) => block.point === point && block.transport === 0 && block.launch === 1,
      );
      const sum = (trial: string) =>
        mine
          .filter((block) => block.trial === trial)
          .reduce((total, { minSamples, maxSamples, targetNs, batch, warmup }) => {
            assert.deepEqual([minSamples, targetNs, warmup], [maxSamples, 0, 0]);
            return total + maxSamples * batch;
          }, 0);
      assert.deepEqual([sum('isolated'), sum('pipelined')], [iterations, iterations]);
    }
  });
}

test('--batch is the number of operations of a pipelined sample', () => {
  const blocks = schedule(planOf([8], { iterations: 20, batch: 10 }));
  const pipelined = blocks.filter(({ trial }) => trial === 'pipelined');
  assert.ok(pipelined.length > 0);
  for (const { batch, maxSamples } of pipelined) assert.deepEqual([batch, maxSamples], [10, 2]);
});
