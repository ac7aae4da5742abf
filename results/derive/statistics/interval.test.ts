import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededNormal, seededUniform } from '../../testing/block.ts';
import { cautiousTau, medianDoubt, medianInterval, signTau } from './interval.ts';

const ascending = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);
/** Samples that alternate between the two sides of the median: 1, n, 2, n-1, ... */
const alternating = (n: number): number[] =>
  ascending(n).map((_, i) => (i % 2 === 0 ? 1 + i / 2 : n - (i - 1) / 2));
/** Samples with signs --++--++, whose neighbours have no correlation. */
const inTwos = (n: number): number[] =>
  ascending(n).map((_, i) =>
    i % 4 < 2 ? 1 + (i % 4) + 2 * Math.floor(i / 4) : n - (i % 4) + 2 - 2 * Math.floor(i / 4),
  );

const near = (found: number | undefined, wanted: number) =>
  assert.ok(found !== undefined && Math.abs(found - wanted) < 1e-4, `${found}, wanted ${wanted}`);

test('worked by hand: 100 samples of which neighbours tell nothing reach 10 ranks to each side, upwards 2.5 more', () => {
  const x = inTwos(100);
  assert.deepEqual(
    [...x].sort((a, b) => a - b),
    ascending(100),
  );
  // 50 of 99 neighbours are on the same side and 49 are not: lag 1 has 0.01, lags 2 and 3 are negative, tau = 2 (1 + 0.01) - 1.
  near(signTau(x), 1.02);
  near(cautiousTau(1.02, 100), 1.02 * 1.026);
  // 1.959964 sqrt(100 * 1.04652) / 2 = 10.02516 around rank 50.5; linear between ranks 40 and 41, 60 and 61.
  const interval = medianInterval(x, 0);
  near(interval?.median, 50.5);
  near(interval?.low, 40.47484);
  // The launch may have missed stalls of 5 %; half of them move the median.
  near(interval?.high, 60.52516 + 2.5);
  near(interval?.effective, 100 / 1.02);
});

test('what few samples show of dependence is not all there is: more is assumed, and never more than 2.5 times', () => {
  near(cautiousTau(1, 50), 1.04);
  near(cautiousTau(2, 50), 2 * 1.64);
  near(cautiousTau(2, 500), 2 * 1.064);
  assert.equal(cautiousTau(5, 50), 12.5);
});

test('samples that make up for one another say more of the median, and count as no more than they are', () => {
  const x = alternating(100);
  assert.equal(signTau(x), 0.1);
  const interval = medianInterval(x, 0);
  assert.ok(interval !== null && interval.high - interval.low < 12);
  assert.equal(interval.effective, 100);
});

test('the first look is at 12 samples; fewer give none', () => {
  assert.equal(medianInterval(inTwos(11), 0), null);
  // Lag 1 has 1/12: tau = 1.16667, enlarged to 1.16667 (1 + 7 / 12); 1.959964 sqrt(12 * 1.84722) / 2 = 4.61397.
  const interval = medianInterval(inTwos(12), 0);
  near(interval?.low, 6.5 - 4.61397);
  near(interval?.high, 6.5 + 4.61397 + 0.3);
  assert.equal(medianInterval([], 0), null);
});

test('samples worth fewer than 6 independent ones give none, since not even their range would hold 95 %', () => {
  assert.equal(medianInterval(ascending(100), 0), null);
});

test('samples that follow each other closely count for less', () => {
  // Eight samples of the lower half, eight of the upper half, and so on.
  const x = ascending(160).map(
    (_, i) => (Math.floor(i / 8) % 2 === 0 ? 1 : 81) + 8 * Math.floor(i / 16) + (i % 8),
  );
  assert.ok(signTau(x) > 3);
  const dependent = medianInterval(x, 0);
  const independent = medianInterval(inTwos(160), 0);
  assert.ok(dependent !== null && independent !== null);
  assert.ok(dependent.high - dependent.low > independent.high - independent.low);
});

test("equal samples give an interval of the timer's step, not of nothing", () => {
  const interval = medianInterval(new Array(50).fill(500), 0.5);
  assert.equal(interval?.low, 499.5);
  assert.equal(interval?.high, 500.5);
});

test('slow drift between 8 blocks or more widens the interval to that of the blocks', () => {
  // Blocks of ten around 100, 101, .. 107, whose samples alternate between the two sides of the median, so that
  // tau is 0.1 and the order statistics reach 103. Shares of all samples below the block medians: 22.5 / 80, 27.5 / 80, ..
  // 57.5 / 80; sd of 0..7 = 2.449, t(.975, 7) = 2.364624: 2.364624 * 5 * sqrt(6 / 8) = 10.23912 ranks down from rank 39.5,
  // between 101 (rank 29) and 102.
  const x = Array.from({ length: 80 }, (_, i) => 100 + Math.floor(i / 10) + (i % 2 === 0 ? 4 : -4));
  const blocks = (size: number) => new Array(80 / size).fill(size);
  near(medianInterval(x, 0, blocks(10))?.low, 101 + 0.26088);
  for (const few of [[], blocks(20)]) near(medianInterval(x, 0, few)?.low, 103);
});

test('a block that was stalled as a whole moves the interval by ranks, not by its time', () => {
  const x = Array.from({ length: 2000 }, (_, i) => (i % 2 === 0 ? 1000 + (i % 50) : 950 + (i % 50)));
  const blocks = new Array(20).fill(100);
  const stalled = x.map((ns, i) => (i >= 900 && i < 1000 ? ns + 16_000_000 : ns));
  const interval = medianInterval(stalled, 0, blocks);
  assert.ok(interval !== null && interval.low >= 950 && interval.high <= 1050, JSON.stringify(interval));
});

test('samples that depend so much on one another that even their range is too narrow give none', () => {
  // The last two fifths are slower by a factor of thousand.
  const x = Array.from({ length: 100 }, (_, i) => (i < 60 ? 1000 + ((i * 7) % 13) : 1e6 + i));
  assert.equal(medianInterval(x, 0), null);
});

/** Log-normal AR(1) samples with outliers that multiply by 1 + Exp(0.4), as in docs/truth.md, Intervals of one launch. */
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
  test(`the interval covers the true median of the ${name} noise profile at n = 200`, () => {
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

for (const apart of [0.5, 1, 1.5]) {
  test(`operations in turns, ${apart} standard deviations to each side: the interval covers the median, n = 100`, () => {
    const runs = 1000;
    let covered = 0;
    for (let run = 0; run < runs; run += 1) {
      const normal = seededNormal(7919 * (run + 1));
      const x = Array.from({ length: 100 }, (_, i) => 1000 + normal() + (i % 2 === 0 ? apart : -apart));
      const interval = medianInterval(x, 0);
      if (interval !== null && interval.low <= 1000 && 1000 <= interval.high) covered += 1;
    }
    assert.ok(covered / runs >= 0.93 && covered / runs <= 0.985, `covered ${covered} of ${runs}`);
  });
}

test('stalls in bursts widen the interval more than as many single ones, and no more where there are more bursts', () => {
  const normal = seededNormal(3);
  const quiet = Array.from({ length: 500 }, () => 1000 * Math.exp(0.004 * normal()));
  const stalledAt = (isStalled: (i: number) => boolean) =>
    quiet.map((ns, i) => (isStalled(i) ? 50 * ns : ns));
  const share = (x: readonly number[]) => medianDoubt(x).share ?? assert.fail();
  const single = share(stalledAt((i) => i % 25 === 0));
  const oneBurst = share(stalledAt((i) => i >= 200 && i < 220));
  const fourBursts = share(stalledAt((i) => i % 125 >= 50 && i % 125 < 55));
  assert.ok(single < 1.3 * share(quiet), 'single ones are in the ranks already');
  assert.ok(oneBurst > 1.3 * single, `${oneBurst} against ${single}`);
  assert.ok(fourBursts < oneBurst);
});
