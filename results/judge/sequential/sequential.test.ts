import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mean } from 'simple-statistics';
import { seededNormal, seededUniform } from '../../testing/block.ts';
import { eBenjaminiHochberg } from './e-bh.ts';
import { changeBets, confidenceSequence, evidence, sameBets, withScales } from './evidence.ts';
import { SequentialFamily } from './family.ts';
import { sequentialTest } from './test.ts';

const margin = Math.log1p(0.05);
const options = { margin: 0.05, alpha: 0.01 };

/** All assignments of signs to these sizes of deviations: what the random order within pairs makes equally likely. */
function signFlips(sizes: readonly number[]): number[][] {
  return Array.from({ length: 2 ** sizes.length }, (_, flips) =>
    sizes.map((size, i) => ((flips >> i) & 1 ? -size : size)),
  );
}

test('bets on signs are fair under equal builds, whatever the noise: the mean over all orders is 1', () => {
  const noises = [
    [0.02, 0.03, 0.01, 0.05, 0.02, 0.04, 0.01, 0.02, 0.03],
    [0.001, 0.001, 4, 0.001, 0.002, 7, 0.001, 0.001, 0.5],
    [0, 0.02, 0, 0.02, 0.02, 0, 0.3, 0.3, 0.3],
  ];
  for (const bets of [changeBets, sameBets]) {
    for (const sizes of noises) {
      for (const side of ['above', 'below'] as const) {
        const all = signFlips(sizes).map((x) => evidence(withScales(x), { logRatio: 0, side }, bets, margin));
        assert.ok(Math.abs(mean(all) - 1) < 1e-9, `${mean(all)} is not 1`);
      }
    }
  }
});

/** Noise of the log ratio of a pair, equal builds; sd about 1. */
const noises: Record<string, (uniform: () => number, normal: () => number) => number> = {
  normal: (_, normal) => normal(),
  'heavy tails': (uniform, normal) => normal() / Math.sqrt(uniform() + 0.02),
  'two modes': (uniform, normal) => (uniform() < 0.5 ? 1 : -1) - (uniform() < 0.5 ? 1 : -1) + 0.1 * normal(),
  'drift within pairs': (uniform) => (uniform() < 0.5 ? 1 : -1),
  stalls: (uniform, normal) => normal() + (uniform() < 0.1 ? 50 * (uniform() < 0.5 ? 1 : -1) : 0),
};

test('watched after each of 20 pairs, equal builds are called changed in 1 % of nights at most', () => {
  for (const [name, noise] of Object.entries(noises)) {
    const [uniform, normal] = [seededUniform(3), seededNormal(4)];
    let alarms = 0;
    const nights = 600;
    for (let night = 0; night < nights; night += 1) {
      const x: number[] = [];
      for (let pair = 0; pair < 20; pair += 1) {
        x.push(0.03 * noise(uniform, normal));
        const pairs = withScales(x);
        const sides = ['above', 'below'] as const;
        if (sides.some((side) => evidence(pairs, { logRatio: 0, side }, changeBets, margin) >= 200)) {
          alarms += 1;
          break;
        }
      }
    }
    // At a rate of 1 %, more than 13 of 600 have a probability below 1 %.
    assert.ok(alarms <= 13, `${alarms} of ${nights} nights with ${name}`);
  }
});

test('a change is found, equal builds are the same, and noise gives no verdict', () => {
  const decide = (change: number, sd: number) => {
    const normal = seededNormal(11);
    const found = sequentialTest(options);
    for (let pair = 1; pair <= 20; pair += 1) {
      found.add(Math.log1p(change) + sd * normal());
      if (found.decision().verdict !== 'not-decided') break;
    }
    return found.decision();
  };
  const slower = decide(0.2, 0.03);
  assert.equal(slower.verdict, 'slower');
  assert.ok(slower.pairs <= 9 && (slower.low ?? 0) > 1, JSON.stringify(slower));
  assert.equal(decide(-0.2, 0.03).verdict, 'faster');
  const same = decide(0, 0.03);
  assert.deepEqual([same.verdict, (same.low ?? 0) < 1, (same.high ?? 9) > 1], ['same', true, true]);
  assert.equal(decide(0, 0.3).verdict, 'not-decided');
});

test('one outlier neither makes a verdict nor hinders one for long', () => {
  const normal = seededNormal(5);
  const found = sequentialTest(options);
  for (let pair = 0; pair < 6; pair += 1) found.add(0.02 * normal());
  found.add(Math.log(40));
  assert.equal(found.decision().verdict, 'not-decided');
  for (let pair = 0; pair < 20; pair += 1) found.add(Math.log1p(0.2) + 0.02 * normal());
  assert.equal(found.decision().verdict, 'slower');
});

test('the interval holds the truth at every look in 95 % of cases', () => {
  const normal = seededNormal(7);
  let misses = 0;
  const cases = 150;
  for (let i = 0; i < cases; i += 1) {
    const x: number[] = [];
    let isMissed = false;
    for (let pair = 0; pair < 12; pair += 1) {
      x.push(Math.log1p(0.1) + 0.04 * normal());
      const { low, high } = confidenceSequence(withScales(x), margin, 0.05);
      isMissed ||= (low ?? -9) > Math.log1p(0.1) || (high ?? 9) < Math.log1p(0.1);
    }
    if (isMissed) misses += 1;
  }
  // At a rate of 5 %, more than 14 of 150 have a probability below 1 %.
  assert.ok(misses <= 14, `${misses} of ${cases}`);
});

test('the first pair gives no bound; a prediction counts down to the verdict', () => {
  const found = sequentialTest(options);
  found.add(0.1);
  assert.deepEqual([found.decision().low, found.decision().high], [null, null]);
  assert.equal(found.reachableMargin(10), null);
  const normal = seededNormal(2);
  for (let pair = 0; pair < 3; pair += 1) found.add(0.18 + 0.02 * normal());
  const more = found.furtherPairs();
  assert.ok(more !== null && more >= 1 && more < 10, String(more));
  for (let pair = 0; pair < more + 3; pair += 1) found.add(0.18 + 0.02 * normal());
  assert.equal(found.furtherPairs(), 0);
});

test('a noisy machine reaches a wide margin, more pairs a narrower one', () => {
  const normal = seededNormal(2);
  const found = sequentialTest(options);
  for (let pair = 0; pair < 10; pair += 1) found.add(0.1 * normal());
  const [ten, forty] = [found.reachableMargin(10), found.reachableMargin(40)];
  assert.ok(
    ten !== null && forty !== null && ten > 0.08 && forty > 0.03 && forty < ten / 1.5,
    `${ten}, ${forty}`,
  );
});

test('e-BH: the textbook rule; questions that nobody asked yet count', () => {
  // K / (alpha k) with K = 4, alpha = 0.1: 40, 20, 13.3, 10.
  assert.equal(eBenjaminiHochberg([50, 21, 5, 1], 0.1), 21);
  assert.equal(eBenjaminiHochberg([39, 19, 13, 9], 0.1), Number.POSITIVE_INFINITY);
  assert.equal(eBenjaminiHochberg([11, 12, 13, 14], 0.1), 11);
  assert.equal(eBenjaminiHochberg([50, 21], 0.1, 10), Number.POSITIVE_INFINITY);
});

test('series of a suite: a range and a single size that changed are named; verdicts stay once they are reached', () => {
  const normal = seededNormal(21);
  const family = new SequentialFamily({ ...options, threshold: 0.02, sizeThreshold: 0.04 }, 4);
  const sizes = [8, 64, 512, 4096, 8192];
  const changeOf: Record<string, (size: number) => number> = {
    equal: () => 1,
    slower: () => 1.3,
    'one size': (size) => (size === 512 ? 1.35 : size === 64 ? 0.8 : 1),
  };
  for (let pair = 0; pair < 16; pair += 1) {
    const before = family.decisions();
    family.add(
      new Map(
        Object.entries(changeOf).map(([key, change]) => [
          key,
          new Map(sizes.map((size) => [`${size} B`, Math.log(change(size)) + 0.02 * normal()])),
        ]),
      ),
    );
    for (const [key, { verdict }] of before) {
      if (verdict !== 'not-decided') assert.deepEqual(family.decisions().get(key), before.get(key));
    }
  }
  const found = [...family.decisions()].map(([key, { verdict, size }]) => [key, verdict, size]);
  assert.deepEqual(found, [
    ['equal', 'same', null],
    ['slower', 'slower', null],
    ['one size', 'slower', '512 B'],
  ]);
  assert.deepEqual(family.undecided(Object.keys(changeOf)), []);
});

test('the test of a range that no pair has adds no range', () => {
  const family = new SequentialFamily({ ...options, threshold: 0.02, sizeThreshold: 0.04 }, 4);
  assert.equal(family.testOf('unknown').decision().pairs, 0);
  assert.equal(family.decisions().size, 0);
});

test('a prediction takes stalls as what they are: the other pairs decide', () => {
  const normal = seededNormal(9);
  const found = sequentialTest(options);
  for (let pair = 0; pair < 12; pair += 1)
    found.add(Math.log1p(0.1) + 0.02 * normal() + (pair === 3 || pair === 6 ? -2 : 0));
  const more = found.furtherPairs();
  assert.ok(more !== null && more < 60, String(more));
});

test('launches with two modes: a verdict is predicted, although the same pairs again and again give none', () => {
  // Log ratios of 12 pairs of equal builds, 8 B to 32 KiB over sockets. A launch takes either 5 or 7 us for 8 B.
  const logRatios = [-0.02, -0.27, 0, 0.24, 0, -0.27, -0.01, 0.03, 0.28, 0, -0.27, 0.01];
  const found = sequentialTest({ margin: 0.1 });
  for (const logRatio of logRatios) found.add(logRatio);
  assert.equal(found.verdict(), 'not-decided');
  const more = found.furtherPairs();
  assert.ok(more !== null && more > 12 && more < 150, String(more));
});
