import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sisciPlan, socketPlan, syntheticRun } from '../../reports/fixtures/synthetic.ts';
import type { ReportRun } from '../../reports/series.ts';
import { tableOfRun } from '../../reports/terminal/run-table.ts';
import { createTable } from '../../reports/terminal/table.ts';
import { type CellRecord, partialReason } from '../../results/schema/index.ts';
import { withScreen } from '../testing/screen.ts';
import { TableOutput } from './run.ts';

/** The cell as it is when only its first blocks are measured. */
const early = (cell: CellRecord): CellRecord =>
  cell.status === 'ok'
    ? {
        ...cell,
        figures: cell.figures.map((figure) =>
          figure.kind === 'measured' ? { ...figure, interval: null, intervalReason: partialReason } : figure,
        ),
      }
    : cell;

const cellsAt = ({ cells }: ReportRun, point: number): CellRecord[] =>
  cells.filter((cell) => cell.point === point);

/** Simulates the output of a run: a pass over all points, then the points complete in another order. */
function carryOut(run: ReportRun, look: () => void): void {
  const { plan, id } = run.record;
  const output = new TableOutput(plan, id, false);
  output.begin();
  const points = plan.points.map((_, i) => i).reverse();
  for (const point of points) {
    output.early(point, cellsAt(run, point).map(early));
    look();
  }
  output.note('host bench01: a warning');
  for (const point of [...points].sort((a, b) => (a % 3) - (b % 3))) {
    const row = cellsAt(run, point);
    for (const [i, cell] of row.entries()) output.cell(cell, i === row.length - 1 ? row : null);
    look();
  }
  output.end(run.cells, run.record, '/runs/x', '/runs/x/report.html');
}

const several = syntheticRun({
  collectives: ['allreduce', 'broadcast', 'allgather'],
  transports: [socketPlan, sisciPlan],
  maxBytes: 256,
});

test('rows of several series come as they are measured, each under its heading, and end as the stored table', () => {
  withScreen(100, 60, (screen) => {
    let shown = 0;
    carryOut(several, () => {
      const text = screen.text();
      const rows = text.match(/^ +\d+ .*(\.\.|%)/gm) ?? [];
      assert.ok(rows.length >= shown, `${rows.length} rows after ${shown}\n${text}`);
      shown = rows.length;
      for (const name of ['allreduce', 'broadcast', 'allgather'])
        assert.ok(text.split(`\n${name} float32`).length <= 2, `one heading of ${name}\n${text}`);
    });
    assert.equal(shown, several.record.plan.points.length);
    const { plan, id } = several.record;
    const options = { plan, columns: 100, color: false, runId: id, isBrief: true };
    const rows = tableOfRun(options, several.cells);
    assert.ok(screen.text().includes(rows), screen.text());
    assert.ok(createTable(options).head().startsWith(screen.text().slice(0, 40)));
  });
});

const one = syntheticRun({
  collectives: ['allreduce'],
  transports: [socketPlan, sisciPlan],
  maxBytes: 65536,
});

for (const [what, run, columns] of [
  ['several series', several, 100],
  ['one series, a list', one, 140],
] as const)
  test(`where a terminal is too low for all rows, those that changed last are shown: ${what}`, () => {
    withScreen(columns, 16, (screen) => {
      carryOut(run, () => {
        assert.ok(screen.liveLines() <= 16, screen.text());
        assert.match(screen.text(), /^ +\S+ .*(\.\.|%)/m);
      });
      assert.ok(screen.text().includes('verified: '));
    });
  });

test('nothing is erased where stdout is no terminal: the stored table alone is printed', () => {
  withScreen(100, null, (screen) => {
    carryOut(several, () => assert.doesNotMatch(screen.raw, /^ +8 /m));
    assert.doesNotMatch(screen.raw, /\[\d+A/);
    assert.equal(screen.raw.split('\nallgather float32').length, 2);
  });
});

test('where stdout alone is a pipe, the progress has the newest result, and rows are printed once', (t) => {
  withScreen(120, null, (screen) => {
    let now = 0;
    t.mock.method(performance, 'now', () => now);
    process.stderr.isTTY = true;
    const output = new TableOutput(one.record.plan, 'aaaaaa', false);
    const progress = (atS: number) => {
      now = atS * 1000;
      output.progress(100 - atS, atS / 100, 'launch 1, 16 B', { done: atS, total: 100 });
      return screen.progress();
    };
    output.begin();
    assert.match(progress(6), / 6\/100 measurements · 1 min 34 s left · launch 1, 16 B$/);
    output.early(1, cellsAt(one, 1).map(early));
    assert.match(
      progress(17),
      / 17\/100 measurements · 1 min 23 s left · 16 B so far: socket \S+ \S+, sisci \S+ \S+$/,
    );
    output.estimate(237);
    now = 30_000;
    output.progress(207, 0.1, 'launch 1, 32 B', { done: 18, total: 100 });
    assert.match(screen.progress(), /18\/100 measurements · 3 min 27 s left/, 'a new estimate may be longer');
    output.end(one.cells, one.record, '/runs/x', '/runs/x/report.html');
    assert.equal(screen.raw.match(/^ +16 /gm)?.length, 1);
  });
});

test('a terminal that reports no height shows rows, too', () => {
  withScreen(80, 0, (screen) => {
    carryOut(several, () => assert.match(screen.text(), /^ +\d+ .*(\.\.|%)/m));
  });
});

test('progress never goes back, whatever the estimates do, except after ten seconds without a lower one', (t) => {
  withScreen(100, 40, (screen) => {
    let now = 0;
    t.mock.method(performance, 'now', () => now);
    const output = new TableOutput(several.record.plan, 'aaaaaa', false);
    const seen: { done: number; total: number; leftS: number }[] = [];
    const estimates = [null, 60, 75, 58, 90, 40, 41, 12, 30, 5, 8, 0];
    for (const [i, leftS] of estimates.entries()) {
      now += 1000;
      const share = leftS === null ? 0 : i / (i + leftS);
      output.progress(leftS, share, 'launch 1, 8 B', { done: i, total: 20 - (i % 3) });
      const line = screen.progress();
      const [, done = '', total = '', left] =
        /(\d+)\/(\d+) measurements(?: · (\d+) s left)?/.exec(line) ?? [];
      if (left !== undefined) seen.push({ done: Number(done), total: Number(total), leftS: Number(left) });
    }
    assert.ok(seen.length > 5);
    for (const [i, one] of seen.entries()) {
      const before = seen[i - 1] ?? one;
      assert.ok(one.done >= before.done && one.leftS <= before.leftS && one.total >= one.done);
    }
    now += 9_000;
    output.progress(80, 0.5, 'launch 2, 8 B', { done: 14, total: 20 });
    assert.match(screen.progress(), / 0 s left/);
    now += 1_000;
    output.progress(79, 0.5, 'launch 2, 8 B', { done: 14, total: 20 });
    assert.match(screen.progress(), /1 min 19 s left/);
  });
});
