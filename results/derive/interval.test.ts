import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededNormal, seededUniform } from '../testing/block.ts';
import { medianInterval, signTau } from './interval.ts';

const ascending = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);
/** 1, n, 2, n-1, ...: each sample lies on the other side of the median from the one before. */
const alternating = (n: number): number[] =>
  ascending(n).map((_, i) => (i % 2 === 0 ? 1 + i / 2 : n - (i - 1) / 2));

test('worked by hand: 100 samples without dependence have tau 1.1 and ranks 38 to 63', () => {
  // d = 2.24 sqrt(100 * 1.1) / 2 = 11.75; lo = floor(50.5 - 11.75) = 38; hi = 101 - 38 = 63
  const x = alternating(100);
  assert.equal(signTau(x), 1.1);
  const interval = medianInterval(x, 0);
  assert.deepEqual(interval, { median: 50.5, low: 38, high: 63, effective: 100 / 1.1 });
});

test('the first look is at 12 samples; fewer give none', () => {
  assert.equal(medianInterval(alternating(11), 0), null);
  // d = 1.12 sqrt(12 + 10) = 5.25; lo = floor(6.5 - 5.25) = 1: the whole range
  const interval = medianInterval(alternating(12), 0);
  assert.equal(interval?.low, 1);
  assert.equal(interval?.high, 12);
  assert.equal(medianInterval([], 0), null);
});

test('samples that follow each other closely count for less', () => {
  const x = ascending(100);
  assert.ok(signTau(x) > 20);
  const dependent = medianInterval(x, 0);
  const independent = medianInterval(alternating(100), 0);
  assert.ok(
    dependent === null || dependent.high - dependent.low > (independent?.high ?? 0) - (independent?.low ?? 0),
  );
});

test("equal samples give an interval of the timer's step, not of nothing", () => {
  const interval = medianInterval(new Array(50).fill(500), 0.5);
  assert.equal(interval?.low, 499.5);
  assert.equal(interval?.high, 500.5);
});

test('slow drift between 8 blocks or more widens the interval to that of the block medians', () => {
  // Eight blocks of ten, at 100, 101, .. 107, each without spread: sd of 0..7 = 2.449, t(.975, 7) = 2.364624
  const x = Array.from({ length: 80 }, (_, i) => 100 + Math.floor(i / 10));
  const half = 2.364624 * Math.sqrt(6 / 8);
  const interval = medianInterval(x, 0, new Array(8).fill(10));
  if (interval === null) return assert.equal(signTau(x) > 6, true);
  assert.ok(interval.high - interval.low >= 2 * half - 1e-4);
  return undefined;
});

/** Log-normal AR(1) samples with outliers that multiply by 1 + Exp(0.4): the profiles of stats.md 2.1. */
function series(n: number, sigma: number, rho: number, outliers: number, seed: number): number[] {
  const normal = seededNormal(seed);
  const uniform = seededUniform(seed ^ 0x5bd1e995);
  let state = normal();
  return Array.from({ length: n }, () => {
    state = rho * state + Math.sqrt(1 - rho * rho) * normal();
    const factor = uniform() < outliers ? 1 - 0.4 * Math.log(1 - uniform()) : 1;
    return 1000 * Math.exp(sigma * state) * factor;
  });
}

/** True median, from one long series without dependence. */
function trueMedian(sigma: number, outliers: number): number {
  const x = series(200_001, sigma, 0, outliers, 20260101).sort((a, b) => a - b);
  return x[100_000] as number;
}

for (const [name, sigma, rho, outliers, least] of [
  ['quiet', 0.004, 0, 0.01, 0.95],
  ['mid', 0.015, 0.3, 0.02, 0.94],
  ['small', 0.05, 0.5, 0.05, 0.93],
  ['sticky', 0.03, 0.8, 0.02, 0.9],
] as const) {
  test(`the interval covers the true median of the ${name} profile of stats.md at n = 200`, () => {
    const truth = trueMedian(sigma, outliers);
    const runs = 600;
    let covered = 0;
    for (let run = 0; run < runs; run += 1) {
      const interval = medianInterval(series(200, sigma, rho, outliers, 7919 * (run + 1)), 0);
      if (interval !== null && interval.low <= truth && truth <= interval.high) covered += 1;
    }
    assert.ok(covered / runs >= least, `covered ${covered} of ${runs}`);
  });
}
