import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal } from '../../results/refusals/refusal.ts';
import { refusalWording } from '../../results/refusals/words.ts';
import type { RunPlan } from '../../results/schema/index.ts';
import { testPlan, testPoint } from '../../results/testing/plan.ts';
import { commandNamed } from '../workloads/index.ts';
import { requireFitsBudget } from './budget-plan.ts';

function planOf(budgetS: number, words: string[] = []): RunPlan {
  const { sampling } = testPlan();
  return testPlan({
    command: ['collbench', 'allreduce', ...words],
    points: [1024, 2 ** 20, 2 ** 30].map((bytes) => ({
      ...testPoint({ count: bytes / 4 }),
      requestedX: bytes,
    })),
    sampling: {
      ...sampling,
      launches: 3,
      apart: true,
      adaptive: { precision: 0.01, isLimit: true, budgetS, maxLaunches: 3 },
    },
  });
}

function refusalOf(plan: RunPlan): ReturnType<typeof refusalWording> {
  try {
    requireFitsBudget(plan, commandNamed('allreduce'));
  } catch (error) {
    assert.ok(error instanceof Refusal);
    return refusalWording(error);
  }
  return assert.fail('it was not refused');
}

test('a budget in which one launch of each size does not fit is refused, with sizes that fit', () => {
  const { message, details, next } = refusalOf(planOf(2));
  assert.match(message, /^--budget 2s is too short for .* one launch of each takes about \d+ s$/);
  assert.match(details?.[0] ?? '', /^fits: --budget \d+(s|m), or --max 1M$/);
  assert.deepEqual(next, { change: { max: '1M' } });
});

test('where sizes are a list, a longer budget is what fits; with it the plan is taken', () => {
  const words = ['--sizes', '1K,1M,1G', '--budget', '2s'];
  const { details, next } = refusalOf(planOf(2, words));
  const [, seconds] = /^fits: --budget (\d+)s$/.exec(details?.[0] ?? '') ?? assert.fail();
  assert.deepEqual(next, { change: { budget: `${seconds}s` } });
  requireFitsBudget(planOf(Number(seconds), words), commandNamed('allreduce'));
});
