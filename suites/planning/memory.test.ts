import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal } from '../../results/refusals/refusal.ts';
import { testPlan, testPoint } from '../../results/testing/plan.ts';
import { hostMemoryShortage } from '../engines/cpu/memory.ts';
import { generateSizes } from '../sizes.ts';
import { withinMemory } from './memory.ts';

const MiB = 2 ** 20;

const planWith = (max: number) => ({
  plan: testPlan({
    command: ['collbench', 'incast'],
    ranks: 2,
    hosts: [{ name: 'h', ranks: [0, 1] }],
    points: generateSizes({ kind: 'factor', min: MiB, max, factor: 2 }, 1).map((bytes) => ({
      ...testPoint({ count: bytes / 4 }, 2),
      requestedX: bytes,
    })),
  }),
  note: null,
});

/** Plan that fits into this memory: two ranks, each with two buffers of the largest size. */
const within = (memoryMiB: number, free: readonly 'max'[] | undefined, max = 64 * MiB) =>
  withinMemory({ max, ...(free === undefined ? {} : { free }) }, planWith, (plan) =>
    hostMemoryShortage(plan, new Map([['h', (memoryMiB * MiB) / 0.9]])),
  );

test('a largest size that nobody named is lowered until the buffers fit, and a note says so', () => {
  const { plan, notes } = within(70, ['max']);
  assert.equal(plan.points.at(-1)?.requestedX, 16 * MiB);
  assert.match(
    notes.join('\n'),
    /^chose --max 16M to fit into memory; with --max 64M, .* needs 268 MB for 2 ranks on h/,
  );
});

test('where all fits nothing is chosen', () => {
  assert.deepEqual(within(300, ['max']).notes, []);
  assert.equal(within(300, ['max']).plan.points.at(-1)?.requestedX, 64 * MiB);
});

test('sizes that were named, and those of a suite, are refused where they do not fit; so is a host on which none fits', () => {
  for (const [memoryMiB, free] of [
    [70, []],
    [70, undefined],
    [1, ['max']],
  ] as const)
    assert.throws(
      () => within(memoryMiB, free),
      (error) => error instanceof Refusal && error.code === 'host-memory',
    );
});
