import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refineIntervals } from '../results/derive/index.ts';
import { syntheticRecord } from '../results/testing/run.ts';
import { intervalsSentence, precisionSentence } from './precision.ts';
import { isOk } from './series.ts';

/** Returns the sentence of a run with a target precision of 1 % whose launches scatter. */
function sentence(sd: number, adaptive: boolean, launches = 4): string {
  const { cells, record } = syntheticRecord({ launches, sd });
  const { sampling } = record.plan;
  const wanted = { precision: 0.01, budgetS: 60, maxLaunches: launches };
  const plan = { ...record.plan, sampling: adaptive ? { ...sampling, adaptive: wanted } : sampling };
  return intervalsSentence(refineIntervals(cells).filter(isOk), plan);
}

test('typical intervals, the limit and an order that would do better stand in one line', () => {
  assert.match(
    sentence(0.04, true),
    /^typical interval ±[\d.]+ % \(best ±[\d.]+ %, worst ±[\d.]+ %\); ±1 % is out of reach: results vary by [\d.]+ % from launch to launch; ±[23] % would take about \d+ launches \(\d+ s\): --precision [23]% --launches \d+ --budget \d+s$/,
  );
});

test('what was wanted and can be had with more launches is not called out of reach', () => {
  assert.match(
    sentence(0.015, true),
    /; results vary by [\d.]+ % from launch to launch; ±1 % would take about \d+ launches/,
  );
});

test('figures that stopped as precise and have no interval in the end are counted as such', () => {
  const { cells, record } = syntheticRecord({ launches: 3, sd: 0.001 });
  const adaptive = { precision: 0.01, budgetS: 60, maxLaunches: 3 };
  const plan = { ...record.plan, sampling: { ...record.plan.sampling, adaptive } };
  const stopped = refineIntervals(cells)
    .filter(isOk)
    .map((cell) => ({
      ...cell,
      figures: cell.figures.map((one) =>
        one.kind === 'measured' ? { ...one, stopped: 'precise' as const } : one,
      ),
    }));
  assert.equal(
    precisionSentence(stopped, plan),
    'precision: 10 of 22 values within ±1.0 % (12 without an interval)',
  );
});

test('fixed counts wanted no precision: only the intervals are named', () => {
  assert.match(sentence(0.04, false), /^typical interval ±[\d.]+ % \(best ±[\d.]+ %, worst ±[\d.]+ %\)$/);
  // Five sizes are up to 32 KiB; the other two ranges have three sizes each.
  assert.match(sentence(0.04, false, 3), /; 12 of 22 figures without one\)$/);
});
