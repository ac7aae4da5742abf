import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missingCell } from '../derive/index.ts';
import { testPlan, testRecord } from '../testing/plan.ts';
import { verdicts } from './verdicts.ts';

const plan = testPlan({ expected: { cells: 4, checks: 16 } });
const cells = [0, 1].flatMap((point) =>
  [0, 1].map((transport) => {
    const reason = point === 1 && transport === 1 ? 'rank 1 died' : 'no time left';
    return missingCell(plan, point, transport, 'failed', reason);
  }),
);

test('configurations that are missing for the same reason share a line', () => {
  const [failure, ...others] = verdicts(testRecord({ plan }), cells, '/runs/x');
  assert.deepEqual(others, []);
  assert.equal(failure?.message, '0 of 4 configurations were measured in full');
  assert.equal(failure?.details?.length, 2);
  const [many, one] = failure?.details ?? [];
  assert.match(
    many ?? '',
    /^allreduce \S+ \S+ over socket, allreduce \S+ \S+ over sisci and 1 more: no time left$/,
  );
  assert.match(one ?? '', /^allreduce 1 MiB over sisci: rank 1 died$/);
});
