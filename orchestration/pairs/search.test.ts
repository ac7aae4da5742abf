import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deriveCell } from '../../results/derive/index.ts';
import { failureWith, type OkCell } from '../../results/schema/index.ts';
import { testBlock } from '../../results/testing/block.ts';
import { testPlan, testPoint } from '../../results/testing/plan.ts';
import type { PairThreshold } from './options.ts';
import { judge } from './search.ts';

/** Result of an allgather of 1 MiB over two ranks, 10 ms each: 0.105 GB/s in each direction. */
function cellWith(parts: Partial<OkCell['verification']> = {}): OkCell {
  const plan = testPlan({
    ranks: 2,
    points: [testPoint({ collective: 'allgather', op: null, count: 262_144 })],
  });
  const cell = deriveCell(plan, 0, 0, [testBlock(new Array(20).fill(10_000_000), { trial: 'pipelined' })]);
  assert.equal(cell.status, 'ok');
  const ok = cell as OkCell;
  return { ...ok, verification: { ...ok.verification, ...parts } };
}

test('a run above the time or below the bandwidth of the condition is bad because it is slow', () => {
  const verdict = (when: PairThreshold) => judge(when, null, cellWith());
  assert.match(verdict({ kind: 'us', limit: 9000 }).why, /10\.0 ms/);
  const slow = ({ isBad, isSlow }: ReturnType<typeof judge>) => [isBad, isSlow];
  assert.deepEqual(slow(verdict({ kind: 'us', limit: 9000 })), [true, true]);
  assert.deepEqual(slow(verdict({ kind: 'us', limit: 11_000 })), [false, false]);
  assert.deepEqual(slow(verdict({ kind: 'GBps', limit: 100 })), [true, true]);
  assert.deepEqual(slow(verdict({ kind: 'GBps', limit: 0.01 })), [false, false]);
  assert.deepEqual(slow(verdict({ kind: 'fails' })), [false, false]);
});

test('a run that failed, was not measured or has wrong data is bad whatever its time is', () => {
  const failure = failureWith({ kind: 'rank-died', message: 'rank 1 died' });
  assert.deepEqual(judge({ kind: 'us', limit: 1 }, failure, cellWith()), {
    ...{ isBad: true, why: 'rank 1 died', isSlow: false },
  });
  const bad = { isBad: true, isSlow: false };
  assert.deepEqual(judge({ kind: 'fails' }, null, undefined), { ...bad, why: 'nothing was measured' });
  const wrong = judge({ kind: 'us', limit: 1 }, null, cellWith({ wrongElements: 3 }));
  assert.deepEqual(wrong, { ...bad, why: 'wrong data: 3 elements' });
});
