import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomSource } from '../random.ts';
import type { BlockRecord } from '../schema/index.ts';
import { type Arrival, arrivalsIn, lateRankOf } from './late-rank.ts';

/** Samples of 1 ms back to back, one row for each rank with the ns by which it starts later than rank 0. */
function block(late: readonly (readonly number[])[], parts: Partial<BlockRecord> = {}): BlockRecord {
  const starts = late.map((rank) => rank.map((ns, at) => at * 1e7 + ns));
  return {
    ...{ block: 0, point: 0, transport: 0, launch: 0, trial: 'pipelined', algorithm: '', batch: 1 },
    ...{ baseNs: 0, commonStartNs: starts[0], startNs: starts },
    endNs: starts.map((rank) => rank.map((ns) => ns + 1e6)),
    late: starts.map((rank) => rank.map(() => 0)),
    ...parts,
  } as unknown as BlockRecord;
}

test('samples in which ranks start apart name the last one and its delay', () => {
  // Less than 5 % of an operation is not apart.
  const starts = [
    [0, 0, 0, 0],
    [200_000, 10_000, -300_000, 0],
  ];
  assert.deepEqual(arrivalsIn(block(starts)), [
    { last: 1, lateNs: 200_000 },
    { last: 0, lateNs: 300_000 },
  ]);
  assert.deepEqual(arrivalsIn(block(starts, { trial: 'isolated' })), []);
  const unsure = block(starts, { clockUncertaintyNs: [null, 140_000] });
  assert.deepEqual(arrivalsIn(unsure), [{ last: 0, lateNs: 300_000 }]);
});

test('a rank that is last in nearly all samples is late, with its mean delay', () => {
  const arrivals: Arrival[] = Array.from({ length: 12 }, (_, at) => ({
    last: at === 3 ? 0 : 2,
    lateNs: 5000,
  }));
  assert.deepEqual(lateRankOf(arrivals, 4), { rank: 2, times: 11, of: 12, meanNs: 5000 });
  assert.equal(lateRankOf(arrivals.slice(0, 2), 4), null);
  assert.equal(lateRankOf([], 4), null);
});

test('where the last rank is random, none is named in at least 98 of 100 runs', () => {
  const random = randomSource(1);
  const named = Array.from({ length: 1000 }, () =>
    lateRankOf(
      Array.from({ length: 40 }, () => ({ last: Math.floor(3 * random()), lateNs: 1 })),
      3,
    ),
  ).filter((one) => one !== null);
  assert.ok(named.length <= 20, `${named.length} of 1000`);
});
