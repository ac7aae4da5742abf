// Expected values are computed with scipy 1.17 (stats.ttest_ind, stats.t, stats.false_discovery_control).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VariancePrior } from '../derive/statistics/launch-interval.ts';
import { studentP } from '../derive/statistics/student.ts';
import { seededUniform } from '../testing/block.ts';
import { minimumDetectableEffect } from './detectable.ts';
import { welchT } from './difference.ts';
import { benjaminiHochberg } from './family.ts';
import { moderatedT } from './moderated-t.ts';

const near = (actual: number | undefined, wanted: number, relative = 1e-9) =>
  assert.ok(
    actual !== undefined && Math.abs(actual - wanted) <= relative * Math.abs(wanted),
    `${actual} is not ${wanted}`,
  );

const a = [0.012, -0.004, 0.021, 0.007, -0.015];
const b = [0.051, 0.044, 0.078, 0.039];

test('two-sided p of t, far into the tail', () => {
  for (const [t, degrees, p] of [
    [0.5, 4, 0.6433299631818633],
    [2.3, 7.3, 0.05349850872452097],
    [8, 28, 1.0335674381699517e-8],
    [12.5, 28, 5.652313256471523e-13],
    [40, 6, 1.6318360930542468e-8],
    [3.3, 2.5, 0.05940212877944413],
    [0.001, 9, 0.9992239303259733],
  ] as const) {
    near(studentP(t, degrees), p);
    near(studentP(-t, degrees), p);
  }
});

test('Welch: means, variances and degrees of their own', () => {
  const found = welchT(a, b);
  near(found.difference, 0.0488);
  near(found.difference / found.standardError, 4.553792422440948);
  near(found.degrees, 5.766624568190124);
  near(found.p, 0.004281145778079744);
  near(found.low, 0.022318654795743475);
  near(found.high, 0.07528134520425651);
  assert.throws(() => welchT([1], b), /two launches on each side, got 1 and 4/);
});

test('moderated: without a prior it is Student with a common variance', () => {
  const found = moderatedT(a, b, null);
  near(found.difference / found.standardError, 4.677995071737391);
  near(found.p, 0.0022661460960814992);
  near(found.low, 0.024132666728340295);
  assert.equal(found.degrees, 7);
});

test('moderated: a prior adds its degrees and pulls the variance', () => {
  const prior: VariancePrior = { variance: 1e-4, degrees: 20 };
  const found = moderatedT(a, b, prior);
  near(found.standardError ** 2 / (1 / 5 + 1 / 4), 1.367703703703704e-4);
  near(found.p, 1.186150255982885e-6);
  near(found.high - found.difference, 0.016096955857117255);
  assert.equal(found.degrees, 27);
  // The prior alone is used with one launch on each side.
  assert.equal(moderatedT([0], [0.03], prior).degrees, 20);
  assert.throws(() => moderatedT([0], [0.03], null), /some idea of their scatter/);
});

test('what never varied leaves no doubt', () => {
  assert.equal(welchT([1, 1], [1, 1]).p, 1);
  assert.equal(welchT([1, 1], [2, 2]).p, 0);
});

test('swapping the sides turns the sign and nothing else', () => {
  const uniform = seededUniform(7);
  for (let i = 0; i < 100; i += 1) {
    const [x, y] = [3, 5].map((n) => Array.from({ length: n }, uniform)) as [number[], number[]];
    for (const test of [
      welchT,
      (p: number[], q: number[]) => moderatedT(p, q, { variance: 0.1, degrees: 4 }),
    ]) {
      const [one, other] = [test(x, y), test(y, x)];
      near(one.p, other.p, 1e-12);
      near(one.low, -other.high, 1e-12);
      near(one.difference, -other.difference, 1e-12);
    }
  }
});

/** The example of Benjamini & Hochberg 1995, section 3. */
const example = [
  ...[0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344],
  ...[0.0459, 0.324, 0.4262, 0.5719, 0.6528, 0.759, 1],
];

test('Benjamini & Hochberg: the example of their paper', () => {
  const adjusted = benjaminiHochberg(example);
  assert.equal(adjusted.filter((p) => p <= 0.05).length, 4, 'the paper rejects four');
  near(adjusted[0], 0.0015);
  near(adjusted[3], 0.035625);
  near(adjusted[5], 0.06385714285714286);
  near(adjusted[6], 0.06385714285714286);
  near(adjusted[14], 1);
});

test('Benjamini & Hochberg: order does not matter, one test is left alone', () => {
  const turned = benjaminiHochberg([...example].reverse()).reverse();
  benjaminiHochberg(example).forEach((p, i) => {
    near(turned[i], p, 1e-12);
  });
  assert.deepEqual(benjaminiHochberg([0.03]), [0.03]);
  assert.deepEqual(benjaminiHochberg([]), []);
  assert.throws(() => benjaminiHochberg([0.5, Number.NaN]), /got NaN/);
});

test('smallest change that is found: multiples of the standard deviation between launches', () => {
  for (const [r, degrees, tests, q, factor] of [
    [5, 28, 45, 0.025, 3.0043227356148057],
    [5, 28, 420, 0.025, 3.526103840396979],
    [3, 24, 45, 0.025, 3.948493529678006],
    [8, 34, 45, 0.025, 2.3313772898490144],
    [5, 28, 1, 0.05, 1.8360529588808414],
  ] as const) {
    const found = minimumDetectableEffect({
      variance: 1e-4,
      degrees,
      launches: [r, r],
      alpha: q / tests,
    });
    near(Math.log1p(found) / 0.01, factor);
  }
});

test('smallest change that is found: a floor binds where scatter is small', () => {
  const quiet = { variance: 1e-8, degrees: 8, launches: [5, 5] as const, alpha: 0.001 };
  assert.ok(minimumDetectableEffect(quiet) < 0.001);
  assert.ok(minimumDetectableEffect({ ...quiet, floor: Math.log(1.02) }) > 0.02);
  assert.equal(minimumDetectableEffect({ ...quiet, degrees: 0 }), Number.POSITIVE_INFINITY);
});
