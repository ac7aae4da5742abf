import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deriveCell } from '../../results/derive/index.ts';
import { failureWith, type OkCell } from '../../results/schema/index.ts';
import { testBlock } from '../../results/testing/block.ts';
import { testPlan, testPoint } from '../../results/testing/plan.ts';
import type { PairThreshold } from './options.ts';
import { judge } from './search.ts';

/** Result of an allgather of 1 MiB over two ranks, 10 ms each: 0.105 GB/s in each direction. */
function cellWith(parts: Partial<OkCell>): OkCell {
  const plan = testPlan({
    ranks: 2,
    points: [testPoint({ collective: 'allgather', op: null, count: 262_144 })],
  });
  const cell = deriveCell(plan, 0, 0, [testBlock(new Array(20).fill(10_000_000), { trial: 'pipelined' })]);
  assert.equal(cell.status, 'ok');
  return { ...(cell as OkCell), ...parts };
}
const busy = cellWith({ flags: [{ name: 'cpu-busy', level: 'disturbs', reason: null }] });
const slowFrom = (limit: number): PairThreshold => ({ kind: 'us', limit });

test('a run that is slow is bad, and doubtful only where the processors were busy', () => {
  const { isBad, isDoubtful, why } = judge(slowFrom(9000), null, cellWith({}));
  assert.deepEqual([isBad, isDoubtful], [true, false]);
  assert.match(why, /10\.0 ms/);
  assert.deepEqual(pick(judge(slowFrom(9000), null, busy)), [true, true]);
  assert.deepEqual(pick(judge(slowFrom(11_000), null, busy)), [false, false]);
  assert.deepEqual(pick(judge({ kind: 'GBps', limit: 100 }, null, busy)), [true, true]);
});

test('a run that failed, was not measured or has wrong data is bad without doubt, also on busy processors', () => {
  const failure = failureWith({ kind: 'rank-died', message: 'rank 1 died' });
  assert.deepEqual(judge({ kind: 'fails' }, failure, busy), {
    isBad: true,
    why: 'rank 1 died',
    isDoubtful: false,
  });
  assert.deepEqual(pick(judge({ kind: 'fails' }, null, undefined)), [true, false]);
  const wrong = { ...busy, verification: { ...busy.verification, wrongElements: 3 } };
  assert.deepEqual(pick(judge({ kind: 'wrong' }, null, wrong)), [true, false]);
});

function pick({ isBad, isDoubtful }: ReturnType<typeof judge>): [boolean, boolean] {
  return [isBad, isDoubtful];
}
