import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchesStored } from '../fixtures/snapshot.ts';
import { sisciPlan, socketPlan, syntheticRun, troubledRun } from '../fixtures/synthetic.ts';
import type { ReportedRun } from '../series.ts';
import { createTable } from './index.ts';

const escapeCode = String.fromCharCode(27);

function told(run: ReportedRun, columns: number, color = false): string {
  const { plan, id } = run.record;
  const table = createTable({ plan, columns, color, runId: id });
  const rows = plan.points.map((_, i) =>
    table.row(
      i,
      run.cells.filter((c) => c.point === i),
    ),
  );
  return table.head() + rows.join('') + table.foot({ cells: run.cells, elapsedS: 192, reportPath: null });
}

const many = ['socket', 'sisci', 'shm', 'plugin:/opt/lib/libnccl-net-averylongname.so'].map((name) => ({
  ...(name === 'sisci' ? sisciPlan : socketPlan),
  name,
}));
const runs: Record<string, ReportedRun> = {
  plain: syntheticRun(),
  troubled: troubledRun(),
  several: syntheticRun({ collectives: ['allreduce', 'broadcast'], maxBytes: 4096 }),
  single: syntheticRun({ transports: [sisciPlan], maxBytes: 64 }),
  many: syntheticRun({ transports: many, maxBytes: 4096 }),
};

for (const [name, run] of Object.entries(runs)) {
  for (const columns of [40, 60, 80, 100, 120, 200]) {
    test(`${name} run at ${columns} columns: no line is longer, none ends in blanks, nothing is coloured`, () => {
      const text = told(run, columns);
      for (const line of text.split('\n')) {
        assert.ok(line.length <= columns, `${line.length} characters: ${line}`);
        assert.equal(line, line.trimEnd());
      }
      assert.ok(!text.includes(escapeCode));
      if (run.record.plan.transports.some((t) => t.medium === 'emulated')) assert.match(text, /EMULATED/);
    });
  }
}

test('two transports stand beside each other in 80 columns, one line per size', () => {
  const text = told(syntheticRun({ maxBytes: 2 ** 20 }), 80);
  assert.equal(text.split('\n').filter((l) => /^ +\d+[KM]? .* 0$/.test(l)).length, 18);
  matchesStored('terminal-80.txt', text);
});

test('120 columns have count, type, op, root, p95, pipelined time, both bandwidths and the medium of each row', () => {
  const text = told(syntheticRun({ maxBytes: 1024 }), 120);
  const head = text.split('\n').find((l) => l.startsWith('size'));
  assert.deepEqual(
    head?.split(/\s+/),
    'size count type op root over medium time ± p95 pipe algbw busbw wrong'.split(' '),
  );
  for (const row of text.split('\n').filter((l) => l.includes(' sisci ') && / 0$/.test(l)))
    assert.match(row, /EMULATED/);
  matchesStored('terminal-120.txt', text);
});

test('failures, holes, flags, missing intervals and wrong data are rows with a reason', () => {
  const text = told(troubledRun(), 80);
  assert.match(text, /socket failed: rank 1 on bench01 died/);
  assert.match(text, /socket not measured/);
  assert.match(text, /!5\.86 us/);
  assert.match(text, /262k$/m);
  assert.match(text, /± -: fewer than 6 samples/);
  assert.match(text, /41 of 44 cells measured/);
  matchesStored('terminal-troubled-80.txt', text);
});

test('colour is only added: without its codes the text is the same', () => {
  const run = troubledRun();
  const coloured = told(run, 80, true);
  const codes = new RegExp(`${escapeCode}\\[\\d+m`, 'g');
  assert.notEqual(coloured, told(run, 80));
  assert.equal(coloured.replaceAll(codes, ''), told(run, 80));
  assert.ok(coloured.includes(`${escapeCode}[31m`), 'wrong data is red');
});

test('a point that is not in the plan is refused', () => {
  const { plan } = syntheticRun().record;
  assert.throws(
    () => createTable({ plan, columns: 80, color: false }).row(99, []),
    /point 99 is not in the plan/,
  );
});
