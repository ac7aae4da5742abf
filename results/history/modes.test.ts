// test: soak
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomSource } from '../random.ts';
import { seededNormal } from '../testing/block.ts';
import { trials } from '../testing/trials.ts';
import { changeRules, findChanges } from './changes.ts';
import { exceedanceP, standsOut } from './exceedance.ts';
import { modesOf, stretchesP, withoutSwitches } from './modes.ts';
import { stepsAndModes } from './trend.ts';

const yearNights = 365;

/** Independent nights that scatter by 1 %, some of them in a second mode of the machine that is 5 % slower. */
function nights(seed: number, slowShare: number, count: number, level: (night: number) => number = () => 0) {
  const [normal, random] = [seededNormal(seed), randomSource(seed)];
  return Array.from(
    { length: count },
    (_, night) => 0.01 * normal() + (random() < slowShare ? Math.log(1.05) : 0) + level(night),
  );
}

const step =
  (at: number, by: number) =>
  (night: number): number =>
    night >= at ? Math.log1p(by) : 0;

test('the exceedance test is the one of Fisher', () => {
  // Expected values from R: phyper(2, 4, 46, 3, lower.tail = FALSE), and 1 - phyper(1, 5, 5, 4).
  assert.ok(Math.abs(exceedanceP(3, 3, 4, 50) - 4 / 19600) < 1e-12);
  assert.ok(Math.abs(exceedanceP(2, 4, 5, 10) - 155 / 210) < 1e-12);
  assert.equal(exceedanceP(0, 3, 4, 50), 1);
});

test('nights stand out beyond all others, or where chance would not put so many there', () => {
  const parts = { from: 0, at: 10, to: 13 };
  const fast = new Array<number>(10).fill(0);
  assert.ok(standsOut([...fast, 1, 1, 1], parts, 1, 1e-9));
  assert.ok(!standsOut([...fast, 1, 1, 1], parts, -1, 1e-9));
  assert.ok(!standsOut([1, ...fast.slice(1), 1, 1, 1], parts, 1, 1e-3));
  const long = [1, 1, ...new Array<number>(48).fill(0), ...new Array<number>(6).fill(1)];
  assert.ok(standsOut(long, { from: 0, at: 50, to: 56 }, 1, 1e-6));
});

test('a machine with two modes is not called changed: at most 0.3 times a year and series, also where it alternates', () => {
  const seeds = trials(20);
  for (const slowShare of [0, 0.05, 0.1, 0.2, 0.5]) {
    let changes = 0;
    for (const seed of seeds)
      changes += findChanges(nights(seed, slowShare, yearNights), changeRules.smallest.ratio).length;
    assert.ok(
      changes <= 0.3 * seeds.length,
      `${changes} changes in ${seeds.length} years, ${100 * slowShare} % slow`,
    );
  }
});

/** Nights that scatter by `sd`, in which the deviations of neighbours have this correlation. */
function alikeNights(seed: number, sd: number, rho: number, count: number, level = (_night: number) => 0) {
  const normal = seededNormal(seed);
  let deviation = normal();
  return Array.from({ length: count }, (_, night) => {
    deviation = night === 0 ? deviation : rho * deviation + Math.sqrt(1 - rho * rho) * normal();
    return sd * deviation + level(night);
  });
}

test('nights that are like their neighbours are not called changed: about 0.3 times a year and series at most', () => {
  const seeds = trials(40);
  let changes = 0;
  for (const seed of seeds)
    changes += findChanges(alikeNights(seed, 0.02, 0.3, yearNights), changeRules.smallest.ratio).length;
  // A false change is often followed by the one back, so the number of changes scatters more than a Poisson count.
  const expected = 0.3 * seeds.length;
  assert.ok(changes <= expected + 3 * Math.sqrt(expected), `${changes} changes in ${seeds.length} years`);
});

test('a real change of 10 % is found within a week, where nights scatter by 3 % and are like their neighbours', () => {
  const seeds = trials(40);
  const at = 60;
  const found = seeds.filter((seed) => {
    const z = alikeNights(seed, 0.03, 0.3, at + 7, step(at, 0.1));
    return findChanges(z, changeRules.smallest.ratio).some(
      ({ foundAt, shift }) => foundAt >= at && shift > 0,
    );
  });
  assert.ok(found.length >= 0.8 * seeds.length, `${found.length} of ${seeds.length}`);
});

test('a real change on such a machine is found: one of 10 % within 5 nights, one of 5 % within a month', () => {
  const seeds = trials(20);
  const at = 60;
  for (const slowShare of [0.05, 0.1, 0.2, 0.5])
    for (const [by, within] of [
      [0.1, 5],
      [0.05, 30],
    ] as const) {
      let found = 0;
      for (const seed of seeds) {
        const z = nights(seed, slowShare, at + within, step(at, by));
        const changes = findChanges(z, changeRules.smallest.ratio);
        if (changes.some((change) => change.foundAt >= at && change.shift > 0)) found += 1;
      }
      assert.ok(
        found >= 0.95 * seeds.length,
        `${found} of ${seeds.length}, ${100 * slowShare} % slow, +${100 * by} %`,
      );
    }
});

test('what was slower for ten nights and is mended is a second change, although such nights were seen before', () => {
  const level = (night: number): number => (night >= 60 && night < 70 ? Math.log(1.05) : 0);
  let mended = 0;
  for (let seed = 1; seed <= 20; seed += 1) {
    const changes = findChanges(nights(seed, 0, 76, level), changeRules.smallest.ratio);
    if (changes.some(({ foundAt, shift }) => foundAt >= 70 && shift < 0)) mended += 1;
  }
  assert.ok(mended >= 19, `${mended} of 20`);
});

test('a series of one level has no modes, whatever its noise: at most 2 in 100', () => {
  const noises: Record<string, (normal: () => number, uniform: () => number) => number> = {
    normal: (normal) => normal(),
    even: (_, uniform) => uniform(),
    't, 3 degrees': (normal) => normal() / Math.sqrt((normal() ** 2 + normal() ** 2 + normal() ** 2) / 3),
    exponential: (_, uniform) => -Math.log(1 - uniform()),
    stalls: (normal, uniform) => normal() + (uniform() < 0.05 ? 100 * uniform() : 0),
  };
  const series = 200;
  for (const [name, noise] of Object.entries(noises))
    for (const count of [14, 30, 90]) {
      let found = 0;
      for (let seed = 1; seed <= series; seed += 1) {
        const [normal, uniform] = [seededNormal(seed), randomSource(seed)];
        const z = Array.from({ length: count }, () => 0.02 * noise(normal, uniform));
        if (modesOf(z, 0, count) !== null) found += 1;
      }
      assert.ok(found <= 0.02 * series, `${found} of ${series} series of ${count} nights, ${name}`);
    }
});

test('two modes are found, with their levels and shares; a step and its repair are none', () => {
  for (let seed = 1; seed <= 40; seed += 1) {
    const wide = nights(seed, 0, 60, (night) => ((night * 7 + seed) % 10 < 3 ? Math.log(1.2) : 0));
    const modes = modesOf(wide, 0, 60);
    assert.ok(
      modes !== null && Math.abs(modes.slow - modes.fast - Math.log(1.2)) < 0.01,
      JSON.stringify(modes),
    );
    assert.equal(modes.slowNights, 18);
    const repaired = nights(seed, 0, 60, (night) => (night >= 20 && night < 40 ? Math.log(1.2) : 0));
    assert.equal(modesOf(repaired, 0, 60), null);
  }
});

test('modes that last for days are switches, not a change each; a step and its repair stay changes', () => {
  const seeds = trials(20);
  let [switches, changes] = [0, 0];
  for (const seed of seeds) {
    const z = nights(seed, 0, 200, (night) =>
      night > 16 && Math.floor(night / 8) % 2 === 1 ? Math.log(1.2) : 0,
    );
    const steps = findChanges(z, changeRules.smallest.ratio);
    switches += steps.length;
    changes += withoutSwitches(z, steps).length;
    const two = nights(seed, 0, 60, (night) => (night >= 20 && night < 40 ? Math.log(1.2) : 0));
    const repaired = findChanges(two, changeRules.smallest.ratio);
    assert.deepEqual(withoutSwitches(two, repaired), repaired);
  }
  assert.ok(switches >= 15 * seeds.length, `${switches} switches`);
  assert.ok(changes <= seeds.length, `${changes} changes of ${switches} switches`);
});

test('the number of stretches of nights in random order has the distribution of Wald and Wolfowitz', () => {
  // All orders of three fast and two slow nights: 10, of which 2 have two stretches, 3 three, 4 four and 1 five.
  const expected = [0.2, 0.5, 0.9, 1];
  for (const [i, p] of expected.entries())
    assert.ok(Math.abs(stretchesP(i + 2, 3, 2) - p) < 1e-9, `${i + 2}`);
});

/** Levels A B A B ... of `dwell` nights each, from night 16 on. */
const levels =
  (dwell: number, count: number, by: number) =>
  (night: number): number => {
    const stretch = Math.floor((night - 16) / dwell) + 1;
    return night >= 16 && Math.min(stretch, count) % 2 === 1 ? Math.log1p(by) : 0;
  };

test('what became slower and was mended four times is eight changes and no modes, however long each lasted', () => {
  const seeds = trials(20);
  for (const dwell of [5, 7, 14, 21]) {
    let [changes, withModes] = [0, 0];
    for (const seed of seeds) {
      const z = nights(seed, 0, 16 + 9 * dwell, levels(dwell, 8, 0.1));
      const found = stepsAndModes(z, changeRules.smallest.ratio);
      changes += found.steps.length;
      withModes += found.modes.length;
    }
    assert.equal(withModes, 0, `levels of ${dwell} nights`);
    assert.ok(changes >= 0.9 * 8 * seeds.length, `${changes} changes, levels of ${dwell} nights`);
  }
});

test('a machine that alternates at random is one series with two modes and no changes, whatever the share of slow nights', () => {
  const seeds = trials(40);
  for (const slowShare of [0.2, 0.3, 0.5])
    for (const count of [60, 120]) {
      let [called, changes] = [0, 0];
      for (const seed of seeds) {
        const [normal, random] = [seededNormal(seed), randomSource(seed)];
        const z = Array.from(
          { length: count },
          () => 0.01 * normal() + (random() < slowShare ? Math.log(1.2) : 0),
        );
        const { steps, modes } = stepsAndModes(z, changeRules.smallest.ratio);
        if (modes.length > 0) called += 1;
        changes += steps.length;
      }
      const what = `${called} of ${seeds.length}, ${changes} changes: ${100 * slowShare} % of ${count} nights`;
      assert.ok(called >= 0.95 * seeds.length && changes <= 0.05 * seeds.length, what);
    }
});
