import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Calibration } from '../schema/index.ts';
import { equalRuns, runOfNight, take } from '../testing/equal-runs.ts';
import { nightAt } from '../testing/nights.ts';
import { decide } from './decide.ts';
import { type EarlierRun, unchangedRuns } from './earlier-runs.ts';
import { compareEntry, type GateSource, referenceOf } from './reference.ts';

const [setAt] = [nightAt(4)];
/** One run each night from night 0; `c` = its gate found a change, `-` = it did not. */
const nights = (kinds: string): EarlierRun[] =>
  [...kinds].map((kind, night) => ({
    run: runOfNight(night, { seed: 1, level: 1 }),
    isChanged: kind === 'c',
  }));
const kept = (kinds: string, isChanged = false): number[] =>
  unchangedRuns(nights(kinds), { startedAt: setAt, isChanged })
    .runs.map(({ record }) => (Date.parse(record.startedAt) - Date.parse(nightAt(0))) / 86_400_000)
    .sort((a, b) => a - b);

test('all earlier nights show how nights differ if nothing changed', () => {
  assert.deepEqual(kept('--------'), [0, 1, 2, 3, 4, 5, 6, 7]);
});

test('changed nights right before tonight are no scatter; a changed night among others counts', () => {
  assert.deepEqual(kept('--------ccc'), [0, 1, 2, 3, 4, 5, 6, 7]);
  assert.deepEqual(kept('------c---'), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('a baseline of a changed night accepts the change: the nights before the change are of another level', () => {
  assert.deepEqual(kept('--ccc----', true), [2, 3, 4, 5, 6, 7, 8]);
});

test('runs of the same night count once; fewer than three nights show only the least that nights differ by', () => {
  const sameNight = Array.from({ length: 10 }, (_, turn) => ({
    run: { ...runOfNight(turn, { seed: 1, level: 1 }) },
    isChanged: false,
  })).map(({ run, isChanged }, turn) => {
    const startedAt = new Date(Date.parse(nightAt(0)) + turn * 60_000).toISOString();
    return { run: { ...run, record: { ...run.record, startedAt } }, isChanged };
  });
  const found = unchangedRuns(sameNight, { startedAt: setAt, isChanged: false });
  assert.deepEqual([found.runs.length, found.areNights], [10, false]);
  const several = unchangedRuns([...sameNight, ...nights('-----')], { startedAt: setAt, isChanged: false });
  assert.deepEqual([several.runs.length, several.areNights], [5, true]);
});

test('how nights differ is said with its source: earlier runs, what was learned, or the transport', () => {
  const runs = take(equalRuns({ seed: 4, runSd: 0.03 }), 12);
  const [base, tonight, ...history] = runs;
  assert.ok(base !== undefined && tonight !== undefined);
  const from = new Set<string | undefined>();
  const source: GateSource = {
    hasAnchor: false,
    baseline: {
      ...{ schemaVersion: 3, name: 'nightly', setAt, learned: null },
      source: { kind: 'run', id: base.record.id, name: 'allreduce', title: 'allreduce' },
      entries: [{ entry: 'run', record: base.record, cells: [...base.cells] }],
    },
  };
  const methodWith = (count: number, areNights: boolean, zSd: Calibration['zSd'] = null): string => {
    const known = { runs: history.slice(0, count), areNights, zSd };
    const one = compareEntry(source, 'run', tonight, undefined, known);
    assert.ok(one !== null);
    for (const { change } of decide([one], 0.1).groups) from.add(change.betweenNightsFrom);
    return referenceOf(source, new Map([['run', tonight]]), [one], zSd !== null)?.method ?? '';
  };
  assert.match(
    methodWith(10, true),
    /: 10 earlier runs on these hosts differ by \d(\.\d)?( to \d(\.\d)?)? %\./,
  );
  assert.match(methodWith(2, true), /: 4 % between nights is assumed by transport \(fewer than 3 /);
  // Runs of one night cannot show that nights differ by less than the assumed scatter.
  assert.match(methodWith(10, false), /: 4 % between nights is assumed by transport/);
  // Equal runs of one hour show at least how much nights differ: a smaller scatter than the assumed one is not believed.
  const zSd = (value: number) => ({ value, low: value / 2, high: 2 * value, of: 24 });
  assert.match(methodWith(0, true, zSd(1)), /: 4 % between nights .*; collbench aa showed less\)/);
  assert.match(
    methodWith(0, true, zSd(30)),
    /: equal runs of collbench aa on these hosts differ by \d+(\.\d)?( to \d+(\.\d)?)? %\./,
  );
  assert.deepEqual(from, new Set(['history', 'transport', 'aa']));
});
