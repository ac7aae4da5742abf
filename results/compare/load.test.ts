import assert from 'node:assert/strict';
import { test } from 'node:test';
import { xValueOf } from '../derive/cell-group.ts';
import type { CellRecord } from '../schema/index.ts';
import { madeRun, madeSizes } from '../testing/run.ts';
import { compareRuns, gateOf, type ReadRun } from './index.ts';

/** Others use so many cores at these sizes; from 0.2 on the cell is flagged. */
function beside(run: ReadRun, cores: (bytes: number) => number): ReadRun {
  const cells = run.cells.map((cell): CellRecord => {
    if (cell.status !== 'ok') return cell;
    const competingCores = cores(xValueOf(cell));
    const host = { host: 'node0', coverage: 1, fill: 1, ticks: 5, cpuBusyShare: 0.9, competingCores };
    const load = { hosts: [{ ...host, energyJ: null }], joulesPerGB: null, reasons: [] };
    const flag = { name: 'cpu-busy', level: 'disturbs' as const, reason: 'others' };
    return { ...cell, load, flags: competingCores >= 0.2 ? [flag] : [] };
  });
  return { ...run, cells };
}

const base = madeRun({ seed: 3 });
const slower = madeRun({ id: 'bbbbbb', seed: 4, factor: () => 2.3 });
const quiet = (): number => 0.02;

test('two runs of which one was disturbed: no verdict, and the load is the difference that is named', () => {
  const busy = beside(slower, () => 0.9);
  const comparison = compareRuns([beside(base, () => 0.4), busy]);
  const [pair] = comparison.pairs;
  assert.equal(pair?.verdict, 'disturbed');
  for (const { change } of [...(pair?.groups ?? []), ...(pair?.cells ?? [])]) {
    assert.equal(change.verdict, 'disturbed');
    assert.equal(change.reason, 'disturbed (others used 0.4 -> 0.9 cores)');
    assert.deepEqual([change.low, change.high, change.p], [null, null, null]);
  }
  assert.match(
    pair?.summary ?? '',
    /disturbed \(others used 0\.4 -> 0\.9 cores\) \(judge anyway: --allow disturbed\)/,
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
  assert.equal(outcome, 'no-verdict');
  assert.match(reasons[0] ?? '', /disturbed \(others used 0\.4 -> 0\.9 cores\), 3 of 3 groups/);
});

test('asked for, disturbed runs are judged', () => {
  const [pair] = compareRuns([beside(base, quiet), beside(slower, () => 0.9)], {
    allow: ['disturbed'],
  }).pairs;
  assert.equal(pair?.verdict, 'slower');
});

test('quiet runs are judged, and a size range that was disturbed takes no verdict from the others', () => {
  const [still] = compareRuns([beside(base, quiet), beside(slower, quiet)]).pairs;
  assert.equal(still?.verdict, 'slower');
  assert.equal(
    still?.settings.some(({ about }) => about === 'load'),
    false,
  );
  const large = beside(slower, (bytes) => (bytes >= 2 ** 22 ? 0.9 : 0.02));
  const [part] = compareRuns([beside(base, quiet), large]).pairs;
  assert.deepEqual(
    part?.groups.map(({ change }) => change.verdict),
    ['slower', 'slower', 'disturbed'],
  );
});

test('where the load of a size range is not known, that of the whole run speaks for it', () => {
  const unread = (run: ReadRun): ReadRun => ({
    ...run,
    cells: run.cells.map((cell): CellRecord => {
      if (cell.status !== 'ok' || xValueOf(cell) >= 2 ** 16) return cell;
      const { load: _load, ...rest } = cell;
      return { ...rest, flags: [] };
    }),
  });
  const [pair] = compareRuns([unread(beside(base, quiet)), unread(beside(slower, () => 0.9))]).pairs;
  assert.equal(pair?.groups[0]?.change.reason, 'disturbed (others used 0.0 -> 0.9 cores)');
  const [still] = compareRuns([unread(beside(base, quiet)), unread(beside(slower, quiet))]).pairs;
  assert.equal(still?.groups[0]?.change.verdict, 'slower');
});

test('fewer than half of the sizes of a range: these have no verdict, the range has one', () => {
  const [first] = madeSizes;
  const [pair] = compareRuns([
    beside(base, quiet),
    beside(slower, (bytes) => (bytes === first ? 0.9 : 0.02)),
  ]).pairs;
  assert.equal(pair?.groups[0]?.change.verdict, 'slower');
  assert.equal(pair?.cells[0]?.change.verdict, 'disturbed');
});

test('what a machine was seen to scatter by between runs makes standard errors as much larger', () => {
  const other = madeRun({ id: 'bbbbbb', seed: 4 });
  const widthOf = (scatterFactor: number): number => {
    const change = compareRuns([base, other], { scatterFactor }).pairs[0]?.groups[0]?.change;
    return Math.log((change?.high ?? 1) / (change?.low ?? 1));
  };
  assert.ok(Math.abs(widthOf(2.5) / widthOf(1) - 2.5) < 1e-9);
});
