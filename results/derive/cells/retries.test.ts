import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CellRecord, flagLevelOf, measuredOf } from '../../schema/index.ts';
import { testBlock } from '../../testing/block.ts';
import { testPlan } from '../../testing/plan.ts';
import { deriveCell } from './cell.ts';
import { disturbedCells, isRetriedCell, retriedLegend, withRetried } from './retries.ts';

const plan = testPlan();

/** Two sizes over two transports; every cell takes `ns` and has these flags. */
function cellsOf(ns: number, flags: (point: number, transport: number) => string[]): CellRecord[] {
  return plan.points.flatMap((_, point) =>
    plan.transports.map((_, transport) => {
      const blocks = [testBlock([ns, ns, ns], { point, transport })];
      const cell = deriveCell(plan, point, transport, blocks);
      assert.ok(cell.status === 'ok');
      const found = flags(point, transport).map((name) => ({ name, level: flagLevelOf(name), reason: null }));
      return { ...cell, flags: found };
    }),
  );
}

const latencies = (cells: readonly CellRecord[]) => cells.map((cell) => measuredOf(cell, 'latency')?.value);

test('disturbed cells are measured again; notes, and what a second time would not mend, do not count', () => {
  const flags = [['cpu-busy', 'late'], ['retransmits'], ['oversubscribed'], ['timer-limited', 'swap']];
  const due = disturbedCells(
    plan,
    cellsOf(1000, (point, transport) => flags[2 * point + transport] ?? []),
  );
  assert.deepEqual(
    due.map(({ point, transport, flags, outcome }) => [point, transport, flags, outcome]),
    [
      [0, 0, ['cpu-busy', 'late'], 'open'],
      [1, 1, ['swap'], 'open'],
    ],
  );
});

test('the second measurement replaces the first where it was quiet, whichever is faster', () => {
  const first = cellsOf(1000, (point) => (point === 0 ? ['cpu-busy'] : []));
  for (const ns of [500, 2000]) {
    const again = cellsOf(ns, () => ['retransmits']).slice(0, 2);
    const { cells, retried } = withRetried(plan, first, again, disturbedCells(plan, first));
    assert.deepEqual(latencies(cells), [ns, ns, 1000, 1000]);
    assert.deepEqual(
      retried.map(({ outcome, figures }) => [outcome, figures.latency]),
      [0, 1].map(() => ['replaced', { first: 1000, second: ns }]),
    );
  }
});

test('a second measurement that was disturbed, or is not whole, replaces nothing', () => {
  const first = cellsOf(1000, (point) => (point === 0 ? ['cpu-busy'] : []));
  const again = cellsOf(500, () => ['cpu-busy']).slice(0, 1);
  const { cells, retried } = withRetried(plan, first, again, disturbedCells(plan, first));
  assert.deepEqual(latencies(cells), [1000, 1000, 1000, 1000]);
  assert.deepEqual(
    retried.map(({ outcome, figures }) => [outcome, figures.latency?.second]),
    [
      ['disturbed', 500],
      ['open', null],
    ],
  );
});

test('a run that was resumed tells of each configuration what became of it the last time', () => {
  const cells = cellsOf(1000, (point) => (point === 0 ? ['cpu-busy'] : []));
  const at = '2026-11-21T01:00:00.000Z';
  const due = disturbedCells(plan, cells);
  const [one, other] = due;
  assert.ok(one !== undefined && other !== undefined);
  const retries = [
    { attempt: 1, at, cells: due, leftOut: 0 },
    { attempt: 3, at, cells: [{ ...one, outcome: 'replaced' as const }], leftOut: 1 },
  ];
  assert.equal(
    retriedLegend({ plan, retries }),
    '* 2 disturbed configurations measured again: 1 replaced by the second measurement, 1 not completed (first measurement kept), 1 more left out: the budget was spent',
  );
  assert.deepEqual(cells.map(isRetriedCell({ plan, retries })), [true, true, false, false]);
  assert.equal(
    retriedLegend({ plan, retries: [{ attempt: 1, at, cells: [], leftOut: 2 }] }),
    '2 disturbed configurations not measured again: the budget was spent',
  );
  assert.equal(retriedLegend({ plan }), '');
});
