import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { CellRecord, OkCell } from '../../results/schema/index.ts';
import { openRun } from '../../results/store/read.ts';
import { fakeRun, ncclRun, sweepRun } from '../fixtures/nccl.ts';
import { groupedRun } from '../fixtures/side-by-side.ts';
import { sisciPlan, socketPlan, syntheticRun, syntheticTroubledRun } from '../fixtures/synthetic.ts';
import { syntheticRetriedRun } from '../fixtures/variants.ts';
import * as workloads from '../fixtures/workloads.ts';
import type { ReportRun } from '../series.ts';
import { isMostlyFlagged } from '../summary.ts';
import { maxFootLines } from './brief-foot.ts';
import { createTable } from './table.ts';

type FootRun = Pick<ReportRun, 'record' | 'cells'>;

const changed = (run: FootRun, change: (cell: OkCell, place: number) => Partial<OkCell>): FootRun => ({
  ...run,
  cells: run.cells.map(
    (cell, i): CellRecord => (cell.status === 'ok' ? { ...cell, ...change(cell, i) } : cell),
  ),
});
const flag = { name: 'cpu-busy', level: 'disturbs' } as OkCell['flags'][number];
const evidence = (verdict: OkCell['evidence']['verdict']) => ({
  evidence: { verdict, reason: 'lo carried 12 MB while sisci was measured, expected below 1 MB; others 0 B' },
});
const plain = syntheticRun();
/** The run as one that was sampled until its intervals are narrow, as runs are by default. */
const adaptive = (run: FootRun): FootRun => {
  const { plan } = run.record;
  const sampling = { ...plan.sampling, adaptive: { precision: 0.0001, maxLaunches: 6, budgetS: 120 } };
  return { ...run, record: { ...run.record, plan: { ...plan, sampling } } };
};
const oneRank: FootRun = {
  ...plain,
  record: { ...plain.record, plan: { ...plain.record.plan, ranks: 1 } },
};

const kinds: Record<string, FootRun> = {
  plain,
  'one transport': syntheticRun({ transports: [sisciPlan] }),
  'four transports': syntheticRun({
    transports: ['socket', 'sisci', 'shm', 'plugin:/opt/lib/libnccl-net-averylongname.so'].map((name) => ({
      ...(name === 'sisci' ? sisciPlan : socketPlan),
      name,
    })),
  }),
  'several series': syntheticRun({ collectives: ['allreduce', 'broadcast'], maxBytes: 4096 }),
  'one rank': oneRank,
  'a few flagged': changed(plain, (_, i) => (i % 7 === 0 ? { flags: [flag] } : {})),
  'all flagged': changed(plain, () => ({ flags: [flag] })),
  'all flagged, one transport': adaptive(
    changed(syntheticRun({ transports: [socketPlan] }), ({ figures }, i) => ({
      flags: [flag],
      figures: figures.map((figure) => ({ ...figure, stopped: i % 2 === 0 ? 'launches' : 'budget' })),
    })),
  ),
  'all flagged and contradicted': changed(plain, () => ({ flags: [flag], ...evidence('contradicted') })),
  'all flagged, without intervals': changed(plain, ({ figures }) => ({
    flags: [flag],
    figures: figures.map((figure) => ({ ...figure, interval: null, intervalReason: 'two launches' })),
  })),
  contradicted: changed(plain, ({ transport }, i) =>
    transport === 'sisci' && i % 9 === 0 ? evidence('contradicted') : {},
  ),
  'all contradicted': changed(plain, (_, i) => (i % 9 === 0 ? evidence('contradicted') : {})),
  unproven: changed(plain, () => evidence('unproven')),
  'without intervals': changed(plain, ({ figures }) => ({
    figures: figures.map((figure) => ({
      ...figure,
      interval: null,
      intervalReason: 'medians of 5 launches (1.38 µs to 12.6 µs) too far apart',
    })),
  })),
  'a third missing': { ...plain, cells: plain.cells.filter((_, i) => i % 3 !== 0) },
  nothing: { ...plain, cells: [] },
  'wrong data, contradicted, missing': syntheticTroubledRun(),
  'measured again': syntheticRetriedRun(),
  'many sentences': sweepRun(),
  'groups of ranks': groupedRun({ maxBytes: 4096 }),
  nccl: ncclRun(),
  fakes: fakeRun(),
  'point to point': workloads.p2pRun(4096),
  stencil: workloads.stencilRun(2),
  train: workloads.trainRun(),
  replay: workloads.replayRun(),
  'control paths': workloads.controlpathRun(),
};
/** This file runs as dist/reports/terminal/brief-foot.test.js. */
const reference = fileURLToPath(new URL('../../../results/reference/', import.meta.url));
for (const name of readdirSync(reference))
  if (existsSync(path.join(reference, name, 'run.json'))) {
    const { record, cells } = await openRun(path.join(reference, name));
    kinds[`recorded ${name}`] = { record, cells };
  }

const reportPath = 'collbench-runs/2026-11-22T10-25-18Z-allreduce-279697/report.html';

function tableOf({ record, cells }: FootRun, columns: number) {
  const { plan, id, retries } = record;
  const options = { plan, columns, color: false, runId: id, isBrief: true };
  const table = createTable({
    ...options,
    ...(retries === undefined ? {} : { retries }),
    isMostlyFlagged: isMostlyFlagged(cells),
  });
  const resumed = 'resumed 2026-11-21 09:05 UTC with 12 of 40 configurations there, 2 differences accepted';
  return { table, foot: table.foot({ cells, elapsedS: 192, reportPath, resumed }) };
}

for (const [kind, run] of Object.entries(kinds)) {
  test(`${kind}: the foot has at most five lines, the verification and the report among them`, () => {
    for (const columns of [80, 100, 120, 200]) {
      const lines = tableOf(run, columns).foot.replace(/^\n/, '').trimEnd().split('\n');
      const text = lines.join('\n');
      assert.ok(lines.length <= maxFootLines, `${columns} columns: ${lines.length} lines\n${text}`);
      assert.ok(
        lines.every((line) => line.length <= columns || line.startsWith('report: ')),
        text,
      );
      assert.match(text, /^(verified|WRONG DATA|not verified)/m);
      assert.equal(lines.at(-1), `report: ${reportPath}`);
      if (isMostlyFlagged(run.cells)) assert.match(text, / configurations? flagged/, `${columns} columns`);
    }
  });
}

test('what went wrong comes first, each kind of it, and nothing takes its place', () => {
  const { foot } = tableOf(kinds['wrong data, contradicted, missing'] as FootRun, 80);
  assert.match(foot, /^\nwrong data: allreduce 1 MiB over sisci, 262,144 elements/);
  assert.match(foot, /\nevidence: sisci contradicted at 1 of 21$/m);
  assert.match(foot, /\n41 of 44 configurations measured/);
  assert.match(foot, /\nWRONG DATA: 262,144 elements/);
  assert.match(foot, / \(\d+ more with --verbose\)\n/);
});

test('a transport that was not confirmed is named with the reason where there is room', () => {
  const { foot } = tableOf(kinds.contradicted as FootRun, 120);
  assert.match(
    foot.replaceAll(/\n +/g, ' '),
    /contradicted at \d+ of \d+ configurations \(.*lo carried 12 MB/,
  );
});

test('where four fifths are flagged one sentence says so, and no figure has a mark', () => {
  for (const [kind, marks] of [
    ['all flagged', 0],
    ['a few flagged', 1],
  ] as const) {
    const run = kinds[kind] as FootRun;
    const { table, foot } = tableOf(run, 80);
    const rows = run.record.plan.points.map((_, i) =>
      table.row(
        i,
        run.cells.filter(({ point }) => point === i),
      ),
    );
    assert.equal(rows.join('').includes('!'), marks === 1, kind);
    assert.match(
      foot,
      marks === 1 ? /! 8 of 56 configurations flagged/ : /(^|· )56 of 56 configurations flagged/m,
    );
  }
});

test('sentences that found no room are counted', () => {
  const { foot } = tableOf(kinds['recorded replay-2-h100'] as FootRun, 80);
  assert.match(foot, / \(\d+ more with --verbose\)\n/);
});
