import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareRuns } from '../compare/compare-runs.ts';
import { gateResult } from '../schema/index.ts';
import { type SyntheticRun, syntheticRecord } from '../testing/run.ts';
import { conclude } from './conclude.ts';
import { lowestPairs, PairedSequence } from './sequence.ts';

const entry = 'small';
const sizes = [8, 64, 512, 65536, 131072, 524288];

/** Launches pairs until the sequence is over. @returns the gate's result, and the number of pairs */
function watched(tonight: SyntheticRun, { maxPairs = 30, sd = 0.01, margin = 0.05 } = {}) {
  const sequence = new PairedSequence({ margin, maxPairs, ranges: 2 });
  const launch = (turn: number, parts: SyntheticRun = {}) =>
    syntheticRecord({ sizes, launches: 1, sd, seed: 100 + turn, ...parts });
  let pairs = 0;
  while (pairs < maxPairs && !sequence.isOver(entry)) {
    sequence.add(entry, launch(2 * pairs), launch(2 * pairs + 1, { id: 'bbbbbb', ...tonight }));
    pairs += 1;
  }
  const [pair] = compareRuns([launch(0), launch(1, { id: 'bbbbbb', ...tonight })]).pairs;
  assert.ok(pair);
  const decision = sequence.decision([{ entry, pair, night: null }]);
  const result = conclude({
    ...{ suite: { id: 'abcdef', name: 'nightly' }, dir: 'collbench-runs/nightly-abcdef' },
    ...{ reference: { kind: 'anchor', name: 'anchor', method: 'In pairs.' }, decision },
    ...{ failures: [], changed: [], cells: [], unknownCells: 0, goneEntries: [] },
  });
  return { gate: gateResult.parse(result), pairs, counts: sequence.counts(entry) };
}

test('equal builds pass as soon as they are certainly the same; every look is recorded', () => {
  const { gate, pairs, counts } = watched({});
  assert.deepEqual(
    [gate.verdict, gate.exitCode, counts],
    ['pass', 0, { slower: 0, faster: 0, same: 2, open: 0 }],
  );
  assert.ok(pairs >= 7 && pairs < 15, `${pairs} pairs`);
  assert.match(
    gate.sentence,
    /^PASS: none of 2 size ranges is slower \(same within 5(\.0)? % or faster, after .*pairs\)\.$/,
  );
  for (const { sequence, change } of gate.groups) {
    const last = sequence?.looks.at(-1);
    assert.ok(last !== undefined && last.same >= 100 && last.slower < 200);
    assert.equal(sequence?.furtherPairs, 0);
    assert.ok((change.lowRatio ?? 9) < 1.01 && (change.highRatio ?? 0) > 0.99);
  }
});

test('a slower size range turns the gate red with its sizes; the other range is the same', () => {
  const { gate, pairs } = watched({ factor: (bytes) => (bytes < 1024 ? 1.2 : 1) });
  assert.deepEqual([gate.verdict, gate.exitCode], ['regression', 4]);
  assert.ok(pairs < 15, `${pairs} pairs`);
  assert.deepEqual(gate.groups.map(({ verdict }) => verdict).sort(), ['same', 'slower']);
  const slow = gate.cells.filter(({ verdict }) => verdict === 'slower').map(({ x }) => x);
  assert.deepEqual(slow, [8, 64, 512]);
  assert.match(gate.sentence, /^REGRESSION: up to (19|20|21)(\.\d)? % slower in 1 of 2 size ranges\.$/);
});

test('noise gives no verdict, with the margin that is in reach, and gives up where no pair would help', () => {
  const noisy = watched({}, { sd: 0.16, maxPairs: 14 });
  assert.deepEqual([noisy.gate.verdict, noisy.gate.exitCode], ['no-verdict', 5]);
  const [group] = noisy.gate.groups;
  assert.match(
    group?.reason ?? '',
    /^not decided after \d+ pairs of launches, which scatter by \d+(\.\d)? %/,
  );
  assert.match(group?.reason ?? '', /"same" within 5(\.0)? % is out of reach, 14 pairs reach \d+/);
  assert.match(noisy.gate.advice.join('\n'), /as many pairs reach a margin of \d+/);
  const hopeless = watched({}, { sd: 3, maxPairs: 200 });
  assert.ok(hopeless.pairs < 100, `${hopeless.pairs} pairs`);
});

test('an idle machine needs at least seven pairs for a margin of 5 %, and none reaches 0.1 %', () => {
  assert.ok(lowestPairs(0.05) >= 6 && lowestPairs(0.05) <= 9, String(lowestPairs(0.05)));
  assert.equal(lowestPairs(0.001), Number.POSITIVE_INFINITY);
});
