// test: soak
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { median } from 'simple-statistics';
import { outlookOf, widthsOf } from '../../results/derive/index.ts';
import type { RunPlan } from '../../results/schema/index.ts';
import { testPlan, testPoint } from '../../results/testing/plan.ts';
import { trials } from '../../results/testing/trials.ts';
import { type NoiseProfile, noiseProfiles, simulateRun } from '../testing/noise.ts';

/** These tests follow the advice of a run about longer runs, and compare the result with the forecast. */

function planOf(launches: number, precision: number, budgetS: number, sizes = 8): RunPlan {
  const { sampling, transports } = testPlan();
  const adaptive = { precision, budgetS, maxLaunches: launches };
  return testPlan({
    points: Array.from({ length: sizes }, (_, i) => testPoint({ count: 256 * (i + 1) })),
    transports: transports.slice(0, 1),
    sampling: { ...sampling, launches, apart: true, adaptive },
  });
}

const made = (profile: NoiseProfile, betweenLaunches: number, seed: number) => ({
  ...{ profile, betweenLaunches, seed },
  operationNs: () => 10_000,
  overheadS: 0.004,
});

test('a run that does what an earlier one advised has the intervals that were foretold', () => {
  for (const [profile, betweenLaunches] of [
    [noiseProfiles.mid, 0.02],
    [noiseProfiles.small, 0.02],
    [noiseProfiles.sticky, 0.01],
  ] as const) {
    const overForetold = trials(2).flatMap((seed) => {
      const plan = planOf(3, 0.01, 60, 4);
      const { cells } = simulateRun(plan, made(profile, betweenLaunches, seed));
      const offer = outlookOf(cells, plan)?.offer ?? null;
      if (offer === null) return [];
      const advised = planOf(offer.launches, offer.precision, offer.seconds * 1.2, 4);
      const again = simulateRun(advised, made(profile, betweenLaunches, 1000 + seed));
      assert.ok(again.elapsedS < 2 * offer.seconds, `${again.elapsedS} s for ${offer.seconds}`);
      return [(widthsOf(again.cells)?.typical ?? 0) / offer.precision];
    });
    assert.ok(overForetold.length >= 2);
    const middle = median(overForetold);
    assert.ok(middle > 0.65 && middle < 1.5, overForetold.join(' '));
  }
});

test('launches that scatter are named as the limit; samples that scatter are, where launches do not', () => {
  const limitOf = (profile: NoiseProfile, between: number) => {
    const plan = planOf(3, 0.005, 5);
    return outlookOf(simulateRun(plan, made(profile, between, 1)).cells, plan)?.limit;
  };
  const apart = limitOf(noiseProfiles.quiet, 0.05);
  assert.equal(apart?.by, 'launches');
  assert.ok(apart.deviation > 0.03 && apart.deviation < 0.08, String(apart.deviation));
  const noisy = limitOf({ ...noiseProfiles.sticky, sigma: 0.3 }, 0);
  assert.equal(noisy?.by, 'samples');
});

test('a run whose usual figure is precise, or that wanted no precision, foretells nothing', () => {
  const plan = planOf(3, 0.05, 60);
  const { cells } = simulateRun(plan, made(noiseProfiles.quiet, 0.001, 1));
  assert.equal(outlookOf(cells, plan), null);
  const { adaptive: _, ...fixed } = plan.sampling;
  assert.equal(outlookOf(cells, { ...plan, sampling: fixed }), null);
});
