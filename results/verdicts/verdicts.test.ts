import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missingCell } from '../derive/index.ts';
import { failureWith } from '../schema/index.ts';
import { testPlan, testRecord } from '../testing/plan.ts';
import { endedStateOf } from './exit-code.ts';
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

test('a run whose time was over is incomplete; one in which something failed has failed', () => {
  const missing = (status: 'aborted' | 'failed') => [
    missingCell(plan, 0, 0, status, 'no time left for its first launch (limit 4 min)'),
  ];
  const failures = verdicts(testRecord({ plan }), missing('aborted'), '');
  assert.deepEqual(
    failures.map(({ kind }) => kind),
    ['incomplete'],
  );
  assert.equal(endedStateOf([], []), 'complete');
  assert.equal(endedStateOf(failures, missing('aborted')), 'incomplete');
  assert.equal(endedStateOf(failures, missing('failed')), 'failed');
  const died = failureWith({ kind: 'rank-died', message: 'rank 1 was killed' });
  assert.equal(endedStateOf([...failures, died], missing('aborted')), 'failed');
});
