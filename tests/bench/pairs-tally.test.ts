// test: core
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChangeVerdict, PairOfRuns, VerdictReservation } from '../../results/schema/index.ts';
import { emptyTally, pairsFailed, pairsText, withPair } from './pairs-tally.ts';

/** A pair with only the fields that the tally reads: verdicts and doubts. */
const pairWith = (doubt: VerdictReservation | null, verdicts: ChangeVerdict[]) =>
  ({
    groups: verdicts.map((verdict) => ({ change: { verdict, doubt } })),
    cells: [],
  }) as unknown as PairOfRuns;
const pairOf = (...verdicts: ChangeVerdict[]) => pairWith(null, verdicts);
const busyPair = () => pairWith('busy', ['not-enough-data']);

test('found is counted over the pairs that were judged', () => {
  let tally = withPair(emptyTally, pairOf('same', 'not-enough-data'), pairOf('slower', 'same'));
  tally = withPair(tally, pairOf('same'), pairOf('not-enough-data'));
  tally = withPair(tally, busyPair(), busyPair());
  assert.deepEqual(
    [tally.pairs, tally.judged, tally.plantedJudged, tally.found, tally.open, tally.disturbed],
    [3, 2, 2, 1, 1, 1],
  );
  assert.match(pairsText(tally, { planted: 10, isLoaded: false }), /found: 1 of 2 judged pairs \(50 %\)/);
  assert.equal(pairsFailed(tally), false);
});

test('where nothing was judged, or equal runs are called changed, the bench fails', () => {
  assert.equal(pairsFailed(emptyTally), true);
  const none = withPair(emptyTally, busyPair(), busyPair());
  assert.equal(pairsFailed(none), true);
  assert.match(pairsText(none, { planted: 10, isLoaded: true }), /no pair was judged/);
  const once = withPair(emptyTally, pairOf('slower'), pairOf('slower'));
  assert.equal(pairsFailed(once), false);
  assert.equal(pairsFailed(withPair(once, pairOf('faster'), pairOf('same'))), true);
});
