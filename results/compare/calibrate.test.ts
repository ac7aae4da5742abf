import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calibration } from '../schema/index.ts';
import { type SyntheticRun, syntheticRecord } from '../testing/run.ts';
import { calibrate } from './calibrate.ts';
import type { ComparableRun } from './compare-runs.ts';

/** @param level standard deviation of the deviation that all launches of a run share */
function pairsOf(count: number, made: SyntheticRun, level = 0): [ComparableRun, ComparableRun][] {
  const run = (seed: number) => {
    const shift = Math.exp(level * (seed % 2 === 0 ? 1 : -1));
    return syntheticRecord({ ...made, id: `run${seed}`, seed, factor: () => shift });
  };
  return Array.from({ length: count }, (_, i) => [run(2 * i + 10), run(2 * i + 11)]);
}

test('equal runs: no alarm, z-scores scatter by 1, the scatter that was made is learned', () => {
  const found = calibrate(pairsOf(12, { sd: 0.02, launches: 5 }));
  assert.deepEqual(calibration.parse(found), found);
  assert.equal(found.groups.tests, 36);
  assert.equal(found.groups.alarms, 0);
  assert.equal(found.pairsWithAlarm, 0);
  assert.ok(Math.abs((found.zSd?.value ?? 0) - 1) < 0.3, `${found.zSd?.value}`);
  for (const group of found.byGroup) {
    assert.ok(Math.abs((group.cellScatter ?? 0) - 0.02) < 0.004, `${group.cellScatter}`);
    // Synthetic launches differ independently at every size, so their mean scatters less.
    const wanted = 0.02 / Math.sqrt(group.xs.length);
    assert.ok(Math.abs((group.scatter ?? 0) / wanted - 1) < 0.4);
    assert.ok((group.detectable ?? 0) >= 0.02);
  }
  assert.match(found.sentences[1] ?? '', /launches of one run represent those of another/);
});

test('runs that differ as a whole are told: their launches are too much alike', () => {
  const found = calibrate(pairsOf(6, { sd: 0.005, launches: 4 }, 0.01));
  assert.ok((found.zSd?.low ?? 0) > 1.2);
  assert.match(found.sentences[1] ?? '', /differ less than those of two runs/);
});

test('one launch each: nothing can be tested, and what to type', () => {
  const found = calibrate(pairsOf(1, { launches: 1 }));
  assert.equal(found.groups.tests, 0);
  assert.equal(found.byGroup[0]?.detectable, null);
  assert.match(found.sentences[0] ?? '', /--launches 5/);
});
