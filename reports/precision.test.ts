import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refineIntervals } from '../results/derive/index.ts';
import { madeRun } from '../results/testing/run.ts';
import { intervalsSentence } from './precision.ts';
import { isOk } from './series.ts';

/** A run that wanted 1 %, and whose launches scatter. */
function sentence(sd: number, adaptive: boolean): string {
  const { cells, record } = madeRun({ launches: 3, sd });
  const { sampling } = record.plan;
  const wanted = { precision: 0.01, budgetS: 60, slotS: 1, maxLaunches: 3 };
  const plan = { ...record.plan, sampling: adaptive ? { ...sampling, adaptive: wanted } : sampling };
  return intervalsSentence(refineIntervals(cells).filter(isOk), plan);
}

test('typical intervals, the limit and an order that would do better stand in one line', () => {
  assert.match(
    sentence(0.04, true),
    /^typical interval ±[\d.]+ % \(best ±[\d.]+ %, worst ±\d+ %.*\); ±1 % is not attainable here: launches differ by [\d.]+ %; ±[23] % would take about \d+ launches \(\d+ s\): --precision [23]% --launches \d+ --budget \d+s$/,
  );
});

test('what was wanted and can be had with more launches is not called out of reach', () => {
  assert.match(sentence(0.01, true), /; launches differ by [\d.]+ %; ±1 % would take about \d+ launches/);
});

test('fixed counts wanted no precision: only the intervals are named', () => {
  assert.match(sentence(0.04, false), /^typical interval ±[\d.]+ % \(best ±[\d.]+ %, worst ±\d+ %.*\)$/);
});
