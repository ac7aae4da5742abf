import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomSource } from '../random.ts';
import { launchModes } from './modes.ts';

/** Sum of twelve uniform deviates less six: nearly normal, with standard deviation 1. */
const nearlyNormal = (random: () => number): number =>
  Array.from({ length: 12 }, random).reduce((sum, one) => sum + one, -6);

test('launches in two modes are counted, with their distance', () => {
  const random = randomSource(1);
  const ns = Array.from(
    { length: 12 },
    (_, at) => (at % 4 === 0 ? 160 : 100) * Math.exp(0.02 * nearlyNormal(random)),
  );
  const modes = launchModes(ns);
  assert.deepEqual([modes?.slow, modes?.of], [3, 12]);
  assert.ok(modes !== null && Math.abs(modes.ratio - 1.6) < 0.05);
});

test('launches of one mode, however wide or skewed, have two in at most 1 of 100 cases', () => {
  const random = randomSource(2);
  for (const scatter of [0.02, 0.3]) {
    let found = 0;
    const runs = 2000;
    for (let run = 0; run < runs; run += 1) {
      const launches = Array.from({ length: 8 }, () =>
        Math.exp(scatter * Math.exp(0.5 * nearlyNormal(random))),
      );
      found += launchModes(launches) === null ? 0 : 1;
    }
    assert.ok(found <= 0.01 * runs, `${found} of ${runs} with scatter ${scatter}`);
  }
});

test('one slow launch, few launches, and modes closer than 10 % are no two modes', () => {
  assert.equal(launchModes([100, 100, 101, 100, 102, 100, 101, 400]), null);
  assert.equal(launchModes([100, 100, 200, 200]), null);
  assert.equal(launchModes([100, 100, 100, 100, 105, 105, 105, 105]), null);
});
