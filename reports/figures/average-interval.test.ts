import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MeasuredFigure } from '../../results/schema/index.ts';
import { spreadOf, spreadSentence } from './average-interval.ts';

const figure = (launchValues: number[], interval: { low: number; high: number } | null) =>
  ({ launchValues, value: launchValues[0], interval }) as unknown as MeasuredFigure;

test('launches that differ alike at all sizes have their scatter in the interval; the sum hides nothing', () => {
  const shared = [100, 110, 90, 105, 95];
  const spread = spreadOf([
    figure(shared, null),
    figure(
      shared.map((ns) => 10 * ns),
      null,
    ),
  ]);
  assert.equal(spread?.basis, 'launches');
  // Expected: t(0.975, 4) = 2.776 times s / sqrt(5), with s = 7.97 % of log times.
  assert.ok(
    Math.abs((spread?.longer ?? 0) - Math.exp((2.776 * 0.0797) / Math.sqrt(5))) < 0.002,
    `${spread?.longer}`,
  );
  const opposed = spreadOf([
    figure(shared, null),
    figure(
      shared.map((ns) => 200 - ns),
      null,
    ),
  ]);
  assert.ok(
    Math.abs((opposed?.longer ?? 0) - 1) < 1e-9,
    'what cancels in every launch is no scatter of the sum',
  );
});

test('few launches: all sizes at the same end of their intervals; without one there is none', () => {
  const spread = spreadOf([figure([100], { low: 90, high: 120 }), figure([300], { low: 280, high: 320 })]);
  assert.deepEqual(spread, { shorter: 370 / 400, longer: 440 / 400, basis: 'sizes' });
  assert.equal(spreadOf([figure([100], null), figure([300], { low: 280, high: 320 })]), null);
  assert.match(spreadSentence([spread, null]), /all sizes at the same end .*; 1 of 2 bars have none\.$/);
});
