import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noiseProfiles, noiseSource } from '../testing/noise.ts';
import { look, mostSamples, TrialSampling } from './precision.ts';

const none: number[][] = [];
/** Samples of one launch around `level`, in blocks of 25. */
function series(level: number, samples: number, seed: number) {
  const next = noiseSource(noiseProfiles.quiet, seed);
  const ns = Array.from({ length: samples }, () => level * next());
  return { ns, blocks: new Array<number>(samples / 25).fill(25), measured: samples };
}
function trialOf(levels: readonly number[], samples: number): TrialSampling {
  const trial = new TrialSampling();
  for (const [launch, level] of levels.entries()) {
    trial.add(launch, series(level, samples, launch + 1).ns, samples);
  }
  return trial;
}

test('one launch: the interval within it decides, and fewer than 12 samples have none', () => {
  const { ns } = series(1000, 25, 2);
  const seen = look([{ ns, blocks: [25], measured: 25 }], none, 0.01, 0.5);
  assert.ok(seen.halfWidth !== null && seen.halfWidth < 0.01 && seen.isFounded);
  const few = { ns: ns.slice(0, 9), blocks: [9], measured: 9 };
  assert.deepEqual(look([few], none, 0.01, 0.5), {
    ...{ halfWidth: null, isFounded: false },
    ...{ needsLaunches: false, restHalfWidth: 0 },
  });
});

test('two looks must agree, and the second comes only with a quarter more samples', () => {
  const trial = trialOf([1000], 100);
  assert.equal(trial.judge(none, 0.01, 0.5), null);
  assert.equal(trial.stopped, null, 'one look is not enough');
  trial.add(0, series(1000, 25, 8).ns.slice(0, 20), 20);
  trial.judge(none, 0.01, 0.5);
  assert.equal(trial.stopped, null, 'too soon to look again');
  trial.add(0, series(1000, 25, 9).ns, 25);
  trial.judge(none, 0.01, 0.5);
  assert.equal(trial.stopped, 'precise');
});

test('launches that differ by more than samples can mend want another launch, not more samples', () => {
  const trial = trialOf([1000, 1030, 970], 100);
  assert.equal(trial.judge(none, 0.01, 0.5), null);
  for (const [launch, level] of [1000, 1030, 970].entries())
    trial.add(launch, series(level, 50, launch + 7).ns, 50);
  assert.equal(trial.judge(none, 0.01, 0.5), 'launches');
  trial.addLaunch(3);
  assert.deepEqual(trial.due(), [3, 3], 'it catches up with the others, block by block');
});

test('launches that agree by luck know no more than their samples', () => {
  const wide = (seed: number) => {
    const next = noiseSource(noiseProfiles.small, seed);
    return { ns: Array.from({ length: 50 }, () => 1000 * next()), blocks: [50], measured: 50 };
  };
  // The same samples: their medians agree entirely.
  const { halfWidth, isFounded } = look([wide(3), wide(3), wide(3)], none, 0.01, 0.5);
  assert.ok(isFounded && halfWidth !== null && halfWidth > 0.005, String(halfWidth));
});

test('other sizes of the series tell how much launches differ', () => {
  const medians = trialOf([1000, 1008, 992], 100);
  const alone = look([...medians.launches.values()], none, 0.01, 0.5).halfWidth as number;
  const others = [1, 2, 3, 4, 5].map((k) => [100 * k, 100.4 * k, 99.6 * k]);
  const together = look([...medians.launches.values()], others, 0.01, 0.5).halfWidth as number;
  assert.ok(together < alone / 2, `${together} against ${alone}`);
});

test('a launch has so many samples and no more, late ones counted', () => {
  const trial = new TrialSampling();
  trial.add(0, [1, 2, 3], mostSamples);
  assert.equal(trial.judge(none, 0.01, 0.5), 'samples');
});

test('what was reached is the reason, however it came to an end', () => {
  const precise = trialOf([1000, 1000.1, 999.9], 50);
  assert.equal(precise.stop('budget', none, 0.01, 0.5), 'precise');
  const wide = trialOf([1000, 1100, 900], 25);
  assert.equal(wide.stop('budget', none, 0.01, 0.5), 'budget');
});
