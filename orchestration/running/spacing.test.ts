import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BlockRequest } from '../../results/schema/index.ts';
import { testPlan, testPoint } from '../../results/testing/plan.ts';
import { schedule } from '../../suites/schedule.ts';
import { LaunchSpacing } from './spacing.ts';

/**
 * Simulates blocks of `blockS` seconds each.
 * @returns distances between launches of the first configuration, and the sum of pauses
 */
function simulate(bytes: number[], blockS: number, apartS?: number) {
  const { sampling } = testPlan();
  const plan = testPlan({
    points: bytes.map((one) => testPoint({ count: one / 4 })),
    sampling: { ...sampling, launches: 3, apart: true },
  });
  const spacing = new LaunchSpacing(apartS);
  const began = new Map<number, number>();
  let [atS, pausedS] = [0, 0];
  const measure = (block: BlockRequest): void => {
    const waitS = spacing.waitS(block, atS);
    pausedS += waitS;
    atS += waitS;
    if (block.point === 0 && block.transport === 0 && !began.has(block.launch)) began.set(block.launch, atS);
    spacing.add(block, atS, atS + blockS);
    atS += blockS;
  };
  for (const block of schedule(plan)) measure(block);
  const times = [...began.values()];
  const distances = times.slice(1).map((time, i) => time - (times[i] as number));
  return { distances, pausedS };
}

test('launches of a single configuration pause for as long as each was measured, a second at most', () => {
  const quick = simulate([1024], 0.01);
  assert.ok(quick.pausedS > 0.1 && quick.pausedS < 1, `${quick.pausedS} s`);
  assert.ok(quick.distances.every((one) => one > 0.1));
  // With two transports, two launches follow a launch of each transport.
  assert.ok(simulate([1024], 2).pausedS <= 4);
});

test('no pause where other configurations lie between the launches', () => {
  const several = [1024, 2048, 4096, 8192];
  assert.equal(simulate(several, 0.01).pausedS, 0);
});

test('a distance that is wanted is kept', () => {
  for (const distance of simulate([1024], 0.01, 5).distances)
    assert.ok(distance >= 5 - 1e-9, `${distance} s`);
});

test('blocks of one launch, and untimed ones, never wait', () => {
  const spacing = new LaunchSpacing(5);
  const [block] = schedule(testPlan());
  assert.ok(block !== undefined);
  spacing.add(block, 0, 1);
  assert.equal(spacing.waitS(block, 1), 0);
  assert.equal(spacing.waitS({ ...block, launch: 7, trial: 'attest' }, 1), 0);
  assert.equal(spacing.waitS({ ...block, launch: 7 }, 1), 4);
});
