import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CellRecord, MeasuredFigure } from '../schema/index.ts';
import { equalRuns, take } from '../testing/equal-runs.ts';
import { syntheticRecord } from '../testing/run.ts';
import { separateRuns } from './calibrate.ts';
import { type ComparableRun, compareRuns } from './compare-runs.ts';
import { levelVariance } from './run-scatter.ts';

const comparedWith = (pair: readonly ComparableRun[], history: readonly ComparableRun[]) => {
  const records = pair.map(({ record }) => record);
  return compareRuns(pair, separateRuns(null, records, history)).pairs[0];
};
test('a change beyond the scatter of earlier runs is still found', () => {
  const runs = equalRuns({ seed: 7, runSd: 0.01 });
  const history = take(runs, 10);
  const [one, two] = take(runs, 2) as [ComparableRun, ComparableRun];
  const slower = syntheticRecord({ id: 'cccccc', seed: 9, launches: 3, sd: 0.02, factor: () => 1.15 });
  slower.record = { ...slower.record, plan: two.record.plan };
  const found = comparedWith([one, slower], history);
  assert.ok(found?.groups.every(({ change }) => change.verdict === 'slower'));
});

test('what runs differ by is said with its source: earlier runs, aa, or the transport', () => {
  const runs = equalRuns({ seed: 3, runSd: 0.03 });
  const history = take(runs, 10);
  const pair = take(runs, 2);
  const sourceIn = (earlier: readonly ComparableRun[]) =>
    comparedWith(pair, earlier)?.groups[0]?.change.betweenRuns;
  const [shown, assumed] = [sourceIn(history), sourceIn(history.slice(0, 2))];
  assert.deepEqual([shown?.from, shown?.runs], ['history', 10]);
  assert.ok((shown?.degrees ?? 0) >= 9);
  assert.ok(shown !== undefined && shown.sd > 0.015 && shown.sd < 0.06, `${shown?.sd}`);
  assert.deepEqual(assumed, { sd: 0.04, degrees: 10, from: 'transport', runs: 2 });
  const learned = separateRuns(
    { value: 1, low: 0.8, high: 1.2, of: 40 },
    pair.map(({ record }) => record),
  );
  const [byAa] = compareRuns(pair, learned).pairs;
  assert.equal(byAa?.groups[0]?.change.betweenRuns?.from, 'aa');
  assert.equal(compareRuns(pair).pairs[0]?.groups[0]?.change.betweenRuns, undefined);
});

test('runs of different nights: earlier runs of one night do not show that nights differ by less than is assumed', () => {
  const runs = take(equalRuns({ seed: 3, runSd: 0.01 }), 12);
  const [base, other, ...nights] = runs as [ComparableRun, ComparableRun, ...ComparableRun[]];
  const startedAt = base.record.startedAt;
  const ofOneNight = nights.map((run) => ({ ...run, record: { ...run.record, startedAt } }));
  const from = (pair: ComparableRun[], history: ComparableRun[]) =>
    comparedWith(pair, history)?.groups[0]?.change.betweenRuns?.from;
  assert.equal(from([base, other], nights), 'history');
  assert.equal(from([base, other], ofOneNight), 'transport');
  const sameNight = { ...other, record: { ...other.record, startedAt } };
  assert.equal(from([base, sameNight], ofOneNight), 'history');
});

test('one run far off widens the scatter of the others little, two are a second mode and count in full', () => {
  const steady = [0.01, -0.01, 0.02, -0.02, 0, 0.015, -0.015, 0.005];
  const sd = (logs: readonly number[]) => Math.sqrt(levelVariance(logs).variance);
  assert.ok(sd([...steady, 1]) < 3 * sd(steady));
  assert.ok(sd([...steady, 1, 1]) > 0.3);
});

/** Changed runs: without one size, with launches of one size that differ by a factor of ten, or with another chosen batch. */
const spoiled = {
  'a size is missing': ({ cells }: ComparableRun, at: number) => cells.filter((_, i) => i !== at),
  'a size scatters too much': ({ cells }: ComparableRun, at: number) =>
    cells.map((cell, i) => (i === at ? withFigures(cell, (one) => ({ ...one, ...wild })) : cell)),
  'the batch was chosen otherwise': ({ cells }: ComparableRun, at: number) =>
    cells.map((cell, i) =>
      i === at ? withFigures(cell, (one) => ({ ...one, method: { ...one.method, batch: 64 } })) : cell,
    ),
};
const wild = { launchValues: [1e4, 1e5, 3e3], interval: null, intervalReason: 'launches differ too much' };
const withFigures = (cell: CellRecord, change: (figure: MeasuredFigure) => MeasuredFigure): CellRecord =>
  cell.status === 'ok'
    ? { ...cell, figures: cell.figures.map((one) => (one.kind === 'measured' ? change(one) : one)) }
    : cell;

for (const [what, spoil] of Object.entries(spoiled))
  test(`earlier runs in which ${what} still say how the other sizes scatter`, () => {
    const runs = equalRuns({ seed: 3, runSd: 0.03 });
    const history = take(runs, 10);
    const pair = take(runs, 2);
    // Another size of the range is changed in each run.
    const harmed = history.map((run, i) => ({ ...run, cells: spoil(run, i % 3) }));
    const found = (earlier: readonly ComparableRun[]) =>
      comparedWith(pair, earlier)?.groups[0]?.change.betweenRuns;
    const [whole, partial] = [found(history), found(harmed)];
    assert.deepEqual([partial?.from, partial?.runs], ['history', 10]);
    const ratio = (partial?.sd ?? 0) / (whole?.sd ?? 1);
    assert.ok(ratio > 0.7 && ratio < 1.4, `${ratio}`);
  });
