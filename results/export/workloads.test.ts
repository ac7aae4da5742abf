// Workloads other than collectives in compare, gate, history and export, which all depend on the workload's row.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ComparableRun, compareRuns } from '../compare/compare-runs.ts';
import { deriveCell } from '../derive/cells/cell.ts';
import { groupOf } from '../derive/cells/cell-group.ts';
import { failuresOf } from '../gate/failures.ts';
import { nameOfGroup, regimeName } from '../history/series-name.ts';
import {
  comparison,
  nullWorkload,
  p2p,
  type SuiteEntry,
  storedRow,
  type Workload,
  type WorkloadAxes,
} from '../schema/index.ts';
import { lineOf } from '../store/run-index/line.ts';
import { seededNormal, testBlock } from '../testing/block.ts';
import { testPlan, testRecord } from '../testing/plan.ts';
import { cellsToCsv } from './csv.ts';
import { runToJunit } from './junit.ts';
import { runToOpenMetrics } from './open-metrics.ts';

/** A run with cells of 10 µs and random scatter of the launches. */
function made(row: Workload, points: readonly WorkloadAxes[], seed: number, factor = 1): ComparableRun {
  const base = testPlan();
  const plan = testPlan({
    workloads: [storedRow(row)],
    points: points.map((axes) => ({ workload: row.name, axes })),
    transports: base.transports.slice(0, 1),
    sampling: { ...base.sampling, launches: 5 },
  });
  const normal = seededNormal(seed);
  const cells = points.map((_, point) => {
    const blocks = [0, 1, 2, 3, 4].flatMap((launch) => {
      const ns = Math.round(10_000 * factor * Math.exp(0.005 * normal()));
      return (['isolated', 'pipelined'] as const).map((trial) =>
        testBlock(new Array(5).fill(ns), { point, launch, trial }),
      );
    });
    const cell = deriveCell(plan, point, 0, blocks);
    // No bytes are really moved, so the evidence is set.
    const evidence = { verdict: 'confirmed' as const, reason: 'decreed' };
    return cell.status === 'ok' ? { ...cell, evidence } : cell;
  });
  return { record: testRecord({ id: `aaaaa${seed}`, plan }), cells };
}

const waits = [1000, 2000, 5000].map((waitNs) => ({ waitNs }));
const puts = [8, 1024].map((bytes) => ({ operation: 'put', direction: 'bi', window: 4, bytes }));

for (const { row, points, title, what, series } of [
  {
    row: nullWorkload,
    points: waits,
    title: 'null, cpu over socket (emulated), 2 ranks',
    what: 'null over socket everywhere',
    series: /collbench_time_seconds\{wait_ns="1000",ranks="2"/,
  },
  {
    row: p2p,
    points: puts,
    title: 'put bi window 4, cpu over socket (emulated), 2 ranks',
    what: 'put over socket up to 32 KiB',
    series: /collbench_bandwidth_bytes_per_second\{operation="put",direction="bi",window="4",bytes="8"/,
  },
]) {
  test(`${row.name}: compared, named, remembered and exported by its row`, () => {
    const [base, other] = [made(row, points, 1), made(row, points, 2, 1.2)];
    const found = compareRuns([base, other]);
    assert.deepEqual(comparison.parse(found), found);
    const [pair] = found.pairs;
    assert.match(pair?.summary ?? '', new RegExp(`slower in its only size range, ${what} \\(\\+\\d\\d`));
    assert.deepEqual(pair?.groups[0]?.change.figure, 'latency');
    assert.equal(pair?.groups[0]?.title, title);
    const [cell] = base.cells;
    assert.ok(cell !== undefined);
    const name = nameOfGroup(groupOf(cell).key);
    assert.equal(name.title, title);
    assert.match(regimeName(name.regime), /all points|small messages/);
    const { set } = lineOf({ ...base, stamp: { bytes: 0, mtimeMs: 0 } }, 'x');
    assert.deepEqual(
      set.columns.map(({ figure, xs }) => [figure, xs.length]),
      [
        ['latency', points.length],
        ['pipelined', points.length],
      ],
    );
    assert.match(runToOpenMetrics(base.record, base.cells), series);
    assert.match(runToJunit(base.record, base.cells), /name="(1 µs|8 B)"/);
    assert.equal(cellsToCsv(base.cells).trimEnd().split('\n').length, 1 + 2 * points.length);
  });
}

test('what failed of another workload is called by its operation and place', () => {
  const { cells } = made(nullWorkload, waits, 3);
  const [first] = cells;
  assert.ok(first?.status === 'ok');
  const wrong = { ...first, verification: { ...first.verification, wrongElements: 1, comparedElements: 9 } };
  const entry: SuiteEntry = {
    ...{ name: 'waits', command: 'null', words: [], environment: {}, optional: false, status: 'measured' },
    ...{ reason: null, leftOut: [], cells: { expected: 1, measured: 1 }, runs: [] },
  };
  assert.equal(
    failuresOf(entry, [wrong], null)[0]?.sentence,
    'null 1 µs over socket: wrong data, 1 of 9 elements',
  );
});
