import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BlockRequest, RunPlan } from '../results/schema/index.ts';
import { testBlocks, testPlan, testPoint } from '../results/testing/plan.ts';
import { canTakeTurns, roundsOf } from './rounds.ts';

const cellOf = ({ point, transport }: BlockRequest): string => `${point} ${transport}`;

test('each round has one isolated block of every configuration, and all planned blocks are kept', () => {
  const plan = testPlan({ points: [8, 256, 4096].map((count) => testPoint({ count })) });
  const planned = testBlocks(plan);
  const rounds = roundsOf(plan, planned);
  const cells = [...new Set(planned.map(cellOf))].sort();
  for (const [at, round] of rounds.entries()) {
    const isolated = round.filter(({ trial }) => trial === 'isolated');
    assert.deepEqual(isolated.map(cellOf).sort(), cells, `round ${at}`);
  }
  const pipelined = rounds.flatMap((round) => round.filter(({ trial }) => trial === 'pipelined'));
  assert.equal(pipelined.length, cells.length);
});

test('the last block of a configuration completes it, and no other', () => {
  const plan = testPlan();
  const blocks = roundsOf(plan, testBlocks(plan)).flat();
  for (const cell of new Set(blocks.map(cellOf))) {
    const own = blocks.filter((block) => cellOf(block) === cell);
    assert.deepEqual(
      own.map(({ completesCell }) => completesCell),
      own.map((_, at) => at === own.length - 1),
      cell,
    );
  }
});

test('short rounds are repeated, at most 24 of them; two long ones suffice', () => {
  const counts = [8, 2 ** 16, 2 ** 20, 2 ** 24, 2 ** 28].map((count) => {
    const plan = testPlan({ points: [testPoint({ count })] });
    return roundsOf(plan, testBlocks(plan)).length;
  });
  assert.deepEqual([counts[0], counts.at(-1)], [24, 2]);
  assert.deepEqual(
    counts,
    counts.toSorted((a, b) => b - a),
  );
});

test('without isolated blocks nothing is repeated', () => {
  const plan = testPlan();
  const planned = testBlocks(plan).filter(({ trial }) => trial === 'pipelined');
  assert.equal(roundsOf(plan, planned).flat().length, planned.length);
});

test('launches take turns where agents of two runs can be open at once, and no device holds the memory of both', () => {
  const can = (parts: Partial<RunPlan>): boolean => canTakeTurns(testPlan(parts));
  assert.equal(can({}), true);
  assert.equal(can({ launcher: 'ssh' }), true);
  assert.equal(can({ launcher: 'slurm' }), false);
  assert.equal(can({ inProcess: true }), false);
  assert.equal(can({ engine: 'nccl' }), false);
  // Blocks of launches that are sampled until they are precise are not known beforehand.
  const { sampling } = testPlan();
  assert.equal(
    can({ sampling: { ...sampling, adaptive: { precision: 0.01, budgetS: 2, maxLaunches: 1 } } }),
    false,
  );
  // Buffers of this size are freed after each block.
  assert.equal(can({ points: [testPoint({ count: 2 ** 31 })] }), false);
});
