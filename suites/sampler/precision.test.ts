import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxLaunchSamples } from '../block-shapes.ts';
import { noiseProfiles, noiseSource } from '../testing/noise.ts';
import { goalOf, LaunchSampling, spreadGoal } from './launch.ts';
import { judgePrecision, TrialSampling } from './precision.ts';

const none: number[][] = [];
/** Samples of one launch around `level`, in blocks of 25. */
function series(level: number, samples: number, seed: number) {
  const next = noiseSource(noiseProfiles.quiet, seed);
  const ns = Array.from({ length: samples }, () => level * next());
  return { ns, blocks: new Array<number>(samples / 25).fill(25), measured: samples };
}
const seriesOf = (trial: TrialSampling) => [...trial.launches.values()].map((one) => one.series);
function trialOf(levels: readonly number[], samples: number): TrialSampling {
  const trial = new TrialSampling();
  for (const [launch, level] of levels.entries()) {
    trial.of(launch).add(series(level, samples, launch + 1).ns, samples);
  }
  return trial;
}

test('one launch: the interval within it decides, and fewer than 12 samples have none', () => {
  const { ns } = series(1000, 25, 2);
  const seen = judgePrecision([{ ns, blocks: [25], measured: 25 }], none, 0.01, 0.5);
  assert.ok(seen.halfWidth !== null && seen.halfWidth < 0.01 && seen.isFounded);
  const few = { ns: ns.slice(0, 9), blocks: [9], measured: 9 };
  assert.deepEqual(judgePrecision([few], none, 0.01, 0.5), {
    ...{ halfWidth: null, isFounded: false },
    ...{ needsLaunches: false, restHalfWidth: 0 },
  });
});

/** A launch with this number of blocks of 25 samples. */
function launchOf(blocks: number, isShort: boolean) {
  const launch = new LaunchSampling();
  const ends = Array.from({ length: blocks }, (_, block) => {
    launch.add(series(1000, 25, block + 1).ns, 25);
    return launch.judge(goalOf(0.02, 1), 0.5, isShort);
  });
  return { ends };
}

test('a launch: two looks must agree, and the second comes only with a quarter more samples', () => {
  const { ends } = launchOf(4, false);
  // A single block only shows an outlier.
  assert.deepEqual(ends, [null, null, 'goal', 'goal']);
  const slow = new LaunchSampling();
  slow.add(series(1000, 100, 3).ns, 100);
  assert.equal(slow.judge(0.01, 0.5, false), null, 'one look is not enough');
  slow.add(series(1000, 25, 8).ns.slice(0, 20), 20);
  assert.equal(slow.judge(0.01, 0.5, false), null, 'too soon to look again');
});

test('short operations: as samples of one block resemble each other, looks begin with the eighth', () => {
  const { ends } = launchOf(12, true);
  assert.deepEqual(ends.slice(0, 9), new Array(9).fill(null));
  assert.equal(ends[9], 'goal', '250 samples are a quarter more than 200');
});

test('a block that differs as a whole keeps a launch from being precise', () => {
  const launch = new LaunchSampling();
  for (let block = 0; block < 16; block += 1) {
    launch.add(series(block % 2 === 0 ? 1000 : 1300, 25, block + 1).ns, 25);
    assert.equal(launch.judge(goalOf(0.01, 1), 0.5, true), null);
  }
});

test('what a launch must reach follows from the launches: their scatter decides, or the precision', () => {
  assert.equal(goalOf(0.01, 1), 0.01);
  assert.ok(goalOf(0.01, 3) > 0.01 && goalOf(0.01, 6) > goalOf(0.01, 3));
  assert.equal(spreadGoal([1000]), 0);
  assert.ok(spreadGoal([1000, 1300]) > 0.1);
});

test('launches that differ by more than samples can mend want another launch, not more samples', () => {
  const trial = trialOf([1000, 1030, 970], 100);
  assert.equal(trial.judge(none, 0.01, 0.5), false);
  assert.ok(trial.seen.needsLaunches);
  trial.stop(0.01);
  assert.equal(trial.stopped, 'launches');
});

test('launches that agree by luck know no more than their samples', () => {
  const wide = (seed: number) => {
    const next = noiseSource(noiseProfiles.small, seed);
    return { ns: Array.from({ length: 50 }, () => 1000 * next()), blocks: [50], measured: 50 };
  };
  // The samples are equal, so the medians agree exactly.
  const { halfWidth, isFounded } = judgePrecision([wide(3), wide(3), wide(3), wide(3)], none, 0.01, 0.5);
  assert.ok(isFounded && halfWidth !== null && halfWidth > 0.005, String(halfWidth));
});

test('other sizes of the series tell how much launches differ', () => {
  const medians = trialOf([1000, 1008, 992, 1000], 100);
  const alone = judgePrecision(seriesOf(medians), none, 0.01, 0.5).halfWidth as number;
  const scattered = [
    [1000, 992, 1008, 1000],
    [1008, 1000, 1000, 992],
    [992, 1000, 1000, 1008],
    [1000, 1008, 1000, 992],
    [1008, 992, 1000, 1000],
  ];
  const together = judgePrecision(seriesOf(medians), scattered, 0.01, 0.5).halfWidth as number;
  assert.ok(together < 0.9 * alone, `${together} against ${alone}`);
  // Deviations common to all sizes are one observation, independent of the number of sizes.
  const common = scattered.map(() => [1000, 1008, 992, 1000]);
  const unhelped = judgePrecision(seriesOf(medians), common, 0.01, 0.5).halfWidth as number;
  assert.ok(Math.abs(unhelped / alone - 1) < 0.02, `${unhelped} against ${alone}`);
});

test('a launch has so many samples and no more, late ones counted', () => {
  const launch = new LaunchSampling();
  launch.add([1, 2, 3], maxLaunchSamples);
  assert.equal(launch.judge(0.01, 0.5, true), 'samples');
});

test('what was reached is the reason, however it came to an end', () => {
  const precise = trialOf([1000, 1000.1, 999.9, 1000], 50);
  assert.equal(precise.judge(none, 0.01, 0.5), true);
  assert.equal(precise.stopped, 'precise');
  const wide = trialOf([1000, 1001, 999, 1000], 25);
  wide.of(0).ended = 'budget';
  wide.judge(none, 0.0001, 0.5);
  assert.deepEqual(wide.late(), [0]);
  wide.stop(0.0001);
  assert.equal(wide.stopped, 'budget');
});
