import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BlockRequest } from '../results/schema/index.ts';
import { testPlan } from '../results/testing/plan.ts';
import { schedule } from '../suites/schedule.ts';
import { launchContextOf } from './failures/failures.ts';
import { mergeBlock } from './merge.ts';
import type { RankOutcome } from './protocol.ts';
import { rankOutcome } from './testing/agent-messages.ts';

const plan = testPlan();
const samples = 20;
const [request] = schedule(plan).filter(({ trial }) => trial === 'isolated') as [BlockRequest];

const outcome = (rank: number, columns: RankOutcome['columns'] = {}): RankOutcome =>
  rankOutcome(rank, samples, { columns });

const merged = (...ranks: RankOutcome[]) =>
  mergeBlock(
    plan,
    { ...request, targetNs: 0, maxSamples: samples },
    0,
    { type: 'measured', launch: 0, block: 0, ranks, interfaceBytes: {} },
    launchContextOf(plan, 0, 0, 'measure'),
  );

const ring = Array.from({ length: samples }, (_, i) => 100 + i);

test('columns stand by rank and sample; a rank without a part of the work has none', () => {
  assert.deepEqual(merged(outcome(0, { ring }), outcome(1, {})).columns, { ring: [ring, []] });
  assert.equal(merged(outcome(0, {}), outcome(1)).columns, undefined);
});

test('a column with fewer values than samples makes no row', () => {
  assert.throws(
    () => merged(outcome(0, { ring: ring.slice(1) }), outcome(1)),
    /rank 0 has 19 values of ring for 20 samples/,
  );
});
