import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coverageOfProfile, launchProfiles, simulateLaunchesAdded } from './launch-profiles.ts';

const repetitions = 1000;
/** Two standard deviations of a measured share of 95 %. */
const chance = 2 * Math.sqrt((0.95 * 0.05) / repetitions);

for (const profile of launchProfiles) {
  test(`intervals between launches hold the truth: ${profile.what}`, () => {
    const rows = profile.launches.map((launches) => coverageOfProfile(profile, launches, repetitions));
    const limited = rows.filter(({ shownShare = 1 }) => shownShare < 0.93);
    for (const { what, covered, shownShare = 1 } of limited)
      assert.ok(covered.high >= shownShare, `${what}: ${covered.share}, both states in ${shownShare}`);
    const whole = rows.filter((one) => !limited.includes(one));
    const mean = whole.reduce((sum, { covered }) => sum + covered.share, 0) / whole.length;
    const shares = rows
      .map(({ what, covered }) => `${what}: ${(100 * covered.share).toFixed(1)} %`)
      .join(', ');
    assert.ok(mean > 0.93 - chance / 2 && mean < 0.98 + chance / 2, shares);
    for (const { covered } of whole) {
      assert.ok(covered.share > 0.93 - chance && covered.share < 0.98 + chance, shares);
    }
  });
}

test('no cell ends before its last launch because its launches agree, and the intervals hold the truth', () => {
  const rows = [1, 1.5].map((times) => simulateLaunchesAdded(9, times, 180));
  for (const { all, early } of rows) {
    assert.equal(early, null);
    assert.ok(all.covered.share > 0.92, `${all.what}: ${all.covered.share}`);
  }
});
