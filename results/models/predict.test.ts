import assert from 'node:assert/strict';
import { test } from 'node:test';
import { costOf } from './cost.ts';
import type { SizePoint } from './points.ts';
import { type PredictionInput, predict } from './predict.ts';
import { type FittedModel, seriesModel } from './series-model.ts';

/** Time of a ring by its cost model: 1 us once, 2 us per step, links of 10 GB/s. */
const ringNs = (bytes: number, ranks: number) =>
  1000 + 2 * (ranks - 1) * 2000 + (((2 * (ranks - 1)) / ranks) * bytes) / 10;

const measured = (ranks: number, choice = 'Ring/LL'): SizePoint[] =>
  Array.from({ length: 20 }, (_, i) => {
    const timeNs = ringNs(2 ** (i + 3), ranks);
    return { bytes: 2 ** (i + 3), timeNs, half: 0.01, error: 0.005, launchMediansNs: [], choice };
  });

function asked(fromRanks: number, toRanks: number, other: Partial<PredictionInput> = {}) {
  const points = measured(fromRanks);
  const model = seriesModel(points, 1) as FittedModel;
  return predict({ what: 'allreduce', model, points, fromRanks, toRanks, isShared: false, ...other });
}

test('what a ring takes with more or fewer ranks lies in the range, at every size', () => {
  for (const [from, to] of [
    [4, 16],
    [4, 2],
    [3, 5],
  ] as const) {
    const found = asked(from, to);
    assert.ok(found.status === 'predicted');
    assert.equal(found.at.length, 20);
    for (const { bytes, lowNs, highNs } of found.at) {
      const truth = ringNs(bytes, to);
      assert.ok(
        lowNs <= truth && truth <= highNs,
        `${from} to ${to} ranks, ${bytes}: ${lowNs} ${truth} ${highNs}`,
      );
    }
  }
});

test('large messages depend on the links alone, so their range is narrow unless ranks share a medium', () => {
  const width = (isShared: boolean) => {
    const found = asked(4, 8, { isShared });
    assert.ok(found.status === 'predicted');
    const last = found.at.at(-1);
    return (last?.highNs ?? 0) / (last?.lowNs ?? 1);
  };
  assert.ok(width(false) < 1.2, String(width(false)));
  assert.ok(width(true) > 1.9, String(width(true)));
});

test('the number of ranks that was measured comes out as measured', () => {
  const found = asked(4, 4);
  assert.ok(found.status === 'predicted');
  for (const { bytes, lowNs, highNs } of found.at) {
    assert.ok(highNs / lowNs < 1.0001);
    assert.ok(Math.abs(lowNs / ringNs(bytes, 4) - 1) < 0.0001);
  }
});

test('more than four times as many ranks, or fewer, is refused with what to measure', () => {
  for (const [from, to, next] of [
    [2, 9, 3],
    [2, 32, 8],
    [16, 2, 8],
  ] as const) {
    const found = asked(from, to);
    assert.ok(found.status === 'none');
    assert.match(
      found.reason,
      new RegExp(`${to} ranks are more than a factor 4 from the ${from} measured; measure with ${next}`),
    );
  }
  for (const [from, to] of [
    [1, 2],
    [2, 1],
  ] as const)
    assert.equal(asked(from, to).status, 'none');
});

test('an algorithm without a known cost is named, not guessed', () => {
  const points = measured(4, 'NVLS/Simple');
  const found = asked(4, 8, { points });
  assert.deepEqual(found, { status: 'none', reason: 'no cost is known of allreduce by NVLS' });
  assert.match(JSON.stringify(asked(4, 8, { points: measured(4, '') })), /that the engine did not name/);
  assert.equal(costOf('pingpong', 'ring'), null);
  assert.notEqual(costOf('alltoall', ''), null);
});

test('what an algorithm costs agrees with the bus factor: its share is never below what each link must carry', () => {
  for (const ranks of [2, 3, 8, 100]) {
    assert.equal(costOf('allreduce', 'Ring')?.share(ranks), (2 * (ranks - 1)) / ranks);
    for (const algorithm of ['ring', 'tree', 'direct', 'recursive-doubling', 'halving-doubling']) {
      const cost = costOf('allreduce', algorithm);
      assert.ok(cost !== null && cost.share(ranks) >= (ranks - 1) / ranks && cost.steps(ranks) >= 1);
    }
  }
});
