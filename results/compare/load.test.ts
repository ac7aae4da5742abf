import assert from 'node:assert/strict';
import { test } from 'node:test';
import { xValueOf } from '../derive/cells/cell-group.ts';
import type { CellRecord } from '../schema/index.ts';
import { syntheticRecord, syntheticSizes } from '../testing/run.ts';
import { type ComparableRun, compareRuns } from './compare-runs.ts';
import { gateOf } from './gate.ts';

const baseBeside = (competingCores: (bytes: number) => number) =>
  syntheticRecord({ seed: 3, competingCores });
const slowerBeside = (competingCores: (bytes: number) => number) =>
  syntheticRecord({ id: 'bbbbbb', seed: 4, factor: () => 2.3, competingCores });
const quiet = (): number => 0.02;

test('two runs of which one was disturbed: the change is kept and not confirmed, and the load is named', () => {
  const busy = slowerBeside(() => 0.9);
  const comparison = compareRuns([baseBeside(() => 0.4), busy]);
  const [pair] = comparison.pairs;
  assert.equal(pair?.verdict, 'unconfirmed');
  for (const { change } of [...(pair?.groups ?? []), ...(pair?.cells ?? [])]) {
    assert.deepEqual([change.verdict, change.doubt], ['unconfirmed', 'busy']);
    assert.equal(change.reason, 'machine busy (other processes used 0.4, then 0.9 cores)');
    assert.deepEqual([change.low, change.high, change.p], [null, null, null]);
    const [low, high] = change.observed;
    assert.ok(low < change.ratio && change.ratio < high && low > 2 && high < 2.6, `${low} ${high}`);
  }
  assert.match(
    pair?.summary ?? '',
    /^bbbbbb: up to 2\.3x slower, not confirmed: machine busy \(other processes used 0\.4, then 0\.9 cores\) \(judge anyway: --allow disturbed\), in all 3 size ranges\.$/,
  );
  assert.deepEqual(
    pair?.settings.find(({ about }) => about === 'load'),
    {
      about: 'load',
      name: 'cores used by others, socket up to 32 KiB',
      base: '0.4',
      other: '0.9',
    },
  );
  const { outcome, reasons } = gateOf(comparison, { failOn: 'slower', visible: 0.1 });
  assert.equal(outcome, 'unconfirmed');
  assert.match(reasons[0] ?? '', /: up to 2\.3x slower, not confirmed: machine busy /);
});

test('asked for, disturbed runs are judged', () => {
  const [pair] = compareRuns([baseBeside(quiet), slowerBeside(() => 0.9)], {
    allow: ['disturbed'],
  }).pairs;
  assert.equal(pair?.verdict, 'slower');
});

test('quiet runs are judged, and a size range that was disturbed takes no verdict from the others', () => {
  const [still] = compareRuns([baseBeside(quiet), slowerBeside(quiet)]).pairs;
  assert.equal(still?.verdict, 'slower');
  assert.equal(
    still?.settings.some(({ about }) => about === 'load'),
    false,
  );
  const large = slowerBeside((bytes) => (bytes >= 2 ** 22 ? 0.9 : 0.02));
  const [part] = compareRuns([baseBeside(quiet), large]).pairs;
  assert.deepEqual(
    part?.groups.map(({ change }) => change.verdict),
    ['slower', 'slower', 'unconfirmed'],
  );
});

test('where the load of a size range is not known, that of the whole run speaks for it', () => {
  const unread = (run: ComparableRun): ComparableRun => ({
    ...run,
    cells: run.cells.map((cell): CellRecord => {
      if (cell.status !== 'ok' || xValueOf(cell) >= 2 ** 16) return cell;
      const { load: _load, ...rest } = cell;
      return { ...rest, flags: [] };
    }),
  });
  const [pair] = compareRuns([unread(baseBeside(quiet)), unread(slowerBeside(() => 0.9))]).pairs;
  assert.equal(pair?.groups[0]?.change.reason, 'machine busy (other processes used 0.0, then 0.9 cores)');
  const [still] = compareRuns([unread(baseBeside(quiet)), unread(slowerBeside(quiet))]).pairs;
  assert.equal(still?.groups[0]?.change.verdict, 'slower');
});

test('the load of a side that has no reading is that of its whole run, and without one is said to be unread', () => {
  const without = (run: ComparableRun, isUnread: (bytes: number) => boolean): ComparableRun => ({
    ...run,
    cells: run.cells.map((cell): CellRecord => {
      if (cell.status !== 'ok' || !isUnread(xValueOf(cell))) return cell;
      const { load: _load, ...rest } = cell;
      return rest;
    }),
  });
  const busy = baseBeside(() => 0.9);
  const reasonFrom = (base: ComparableRun) =>
    compareRuns([base, slowerBeside(() => 0.4)]).pairs[0]?.groups[0]?.change.reason;
  assert.equal(
    reasonFrom(without(busy, (bytes) => bytes < 2 ** 16)),
    'machine busy (other processes used 0.9, then 0.4 cores)',
  );
  assert.equal(
    reasonFrom(without(busy, () => true)),
    'machine busy (other processes used 0.4 cores, load of the first run not read)',
  );
});

test('fewer than half of the sizes of a range: these have no verdict, the range has one', () => {
  const [first] = syntheticSizes;
  const [pair] = compareRuns([
    baseBeside(quiet),
    slowerBeside((bytes) => (bytes === first ? 0.9 : 0.02)),
  ]).pairs;
  assert.equal(pair?.groups[0]?.change.verdict, 'slower');
  assert.equal(pair?.cells[0]?.change.doubt, 'busy');
});

test('what a machine was seen to scatter by between runs makes standard errors as much larger', () => {
  const base = syntheticRecord({ seed: 3 });
  const other = syntheticRecord({ id: 'bbbbbb', seed: 4 });
  const widthOf = (scatterFactor: number): number => {
    const change = compareRuns([base, other], { scatterFactor }).pairs[0]?.groups[0]?.change;
    return Math.log((change?.high ?? 1) / (change?.low ?? 1));
  };
  assert.ok(Math.abs(widthOf(2.5) / widthOf(1) - 2.5) < 1e-9);
});
