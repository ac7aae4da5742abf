// test: core
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missesOf } from './misses.ts';
import { shareOf } from './random.ts';
import type { StalledCoverage } from './stalls.ts';

const row = (hits: number, of = 1000) => ({ what: 'row', covered: shareOf(hits, of), halfWidth: 0.01 });
const stalled = (hits: number, halfWidth: number, given = 1000, isDue = true): StalledCoverage => ({
  ...{ what: 'stalled', given: shareOf(given, 1000), reason: 'scatter', isDue },
  found: given === 0 ? null : { covered: shareOf(hits, 1000), halfWidth, oracle: 0.01 },
});

test('less than 93 % is named; a rough count names what is certain', () => {
  assert.deepEqual(missesOf([row(930)], [], false), []);
  assert.deepEqual(missesOf([row(929)], [], false), ['row: covers 92.9 %, wanted 93.0 %']);
  assert.deepEqual(missesOf([row(929)], [], true), []);
  assert.deepEqual(missesOf([row(865)], [], true), ['row: covers 86.5 %, wanted 93.0 %']);
});

test('where launches may not have seen the scatter, the share of cases in which they have is wanted', () => {
  assert.deepEqual(missesOf([{ ...row(740), shownShare: 0.75 }], [], false), []);
  assert.deepEqual(missesOf([{ ...row(700), shownShare: 0.75 }], [], false), [
    'row: covers 70.0 %, wanted 75.0 %',
  ]);
  assert.deepEqual(missesOf([{ ...row(929), shownShare: 0.94 }], [], false).length, 1);
});

test('more than 1.5 times the oracle is named', () => {
  assert.deepEqual(missesOf([], [stalled(950, 0.015)], false), []);
  assert.deepEqual(missesOf([], [stalled(950, 0.0164)], false), [
    'stalled: 1.64 times the oracle, at most 1.5 is wanted',
  ]);
});

test('no interval passes only where none is due', () => {
  assert.deepEqual(missesOf([], [stalled(0, 0, 0, false)], false), []);
  assert.deepEqual(missesOf([], [stalled(0, 0, 0)], false), ['stalled: given in 0.0 %, wanted 80.0 %']);
  assert.deepEqual(missesOf([], [stalled(900, 0.01, 790)], false).length, 2);
});
