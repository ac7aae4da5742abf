import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeRun, ncclRun, ncclSocketPlan, p2pPlan, sweepRun } from '../fixtures/nccl.ts';
import { groupedRun } from '../fixtures/side-by-side.ts';
import { matchesStored } from '../fixtures/snapshot.ts';
import { sisciPlan, socketPlan, syntheticRun, syntheticTroubledRun } from '../fixtures/synthetic.ts';
import { syntheticRetriedRun } from '../fixtures/variants.ts';
import { controlpathRun, nullRun, p2pRun } from '../fixtures/workloads.ts';
import type { ReportRun } from '../series.ts';
import { createTable } from './table.ts';

const escapeCode = String.fromCharCode(27);

function told(run: ReportRun, columns: number, color = false): string {
  const { plan, id, retries } = run.record;
  const options = { plan, columns, color, runId: id };
  const table = createTable(retries === undefined ? options : { ...options, retries });
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
const onGpus = (run: ReportRun): ReportRun => ({
  ...run,
  record: { ...run.record, plan: { ...run.record.plan, engine: 'nccl' } },
});
const runs: Record<string, ReportRun> = {
  plain: syntheticRun(),
  troubled: syntheticTroubledRun(),
  several: syntheticRun({ collectives: ['allreduce', 'broadcast'], maxBytes: 4096 }),
  single: syntheticRun({ transports: [sisciPlan], maxBytes: 64 }),
  many: syntheticRun({ transports: many, maxBytes: 4096 }),
  nccl: ncclRun(),
  sweep: sweepRun(),
  'many over nccl': ncclRun({ transports: many, maxBytes: 4096 }),
  fakes: fakeRun(),
  groups: groupedRun({ maxBytes: 4096 }),
  'point-to-point': p2pRun(4096),
  null: nullRun(),
  retried: syntheticRetriedRun(),
  'retried over GPUs': onGpus(syntheticRetriedRun()),
  'groups over GPUs': onGpus(groupedRun({ maxBytes: 4096 })),
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

test('choices of algorithm are not counted as transports', () => {
  const by = (transport: typeof socketPlan, ...algorithms: string[]) =>
    algorithms.map((algo) => ({
      ...transport,
      name: `${transport.name}@${algo}`,
      settings: { algo },
    }));
  const headOf = (transports: (typeof socketPlan)[]) =>
    told(syntheticRun({ transports, maxBytes: 64 }), 120).split('\n')[0] ?? '';
  assert.match(headOf(by(socketPlan, 'ring', 'direct')), / 4 sizes x 2 choices$/);
  assert.doesNotMatch(
    told(syntheticRun({ transports: by(socketPlan, 'ring', 'direct') }), 80),
    /\n\n\nfastest/,
  );
  assert.match(
    headOf([socketPlan, ...by(socketPlan, 'ring'), ...by(sisciPlan, 'ring')]),
    / x 3 choices over 2 transports$/,
  );
});

test('a workload that is no collective has the columns of its own row', () => {
  const text = told(p2pRun(64), 80);
  assert.match(text, /^put · put window 16 · pingpong · 2 ranks on 1 node · cpu engine · 4 sizes x 2$/m);
  assert.match(text, /^ +size +time +± +bandw +time +± +bandw +wrong$/m);
  matchesStored('terminal-p2p-80.txt', text);
  assert.match(told(p2pRun(64), 120), /^size +over +medium +time +± +p95 +pipe +bandw +msg\/s +wrong$/m);
});

test('an axis of another unit, and no rate of anything', () => {
  const text = told(nullRun(), 80);
  assert.match(text, /^ +wait +time +± +pipe +wrong$/m);
  assert.match(text, /^ +10 µs +10\.\d µs +\d\.\d % +10\.\d µs +0$/m);
  assert.doesNotMatch(text, /size|B\/s/);
  matchesStored('terminal-null-80.txt', text);
});

test('groups of ranks have a row each, named, with the sum of them in the foot', () => {
  const text = told(groupedRun({ maxBytes: 64 }), 100);
  assert.match(text, /4 ranks on 2 nodes in 2 groups \(node\)/);
  assert.match(text, /^ {2}2 groups at the same time \(node\): gpu01 \(0, 1\) · gpu<02> \(2, 3\)$/m);
  assert.match(text, /^ *64 +gpu01 /m);
  assert.match(text, /^ *64 +gpu<02> /m);
  assert.match(text, /2 groups at the same time over sisci: gpu<02>/);
});

test('failures, holes, flags, missing intervals and wrong data are rows with a reason', () => {
  const text = told(syntheticTroubledRun(), 80);
  assert.match(text, /socket failed: rank 1 on bench01 died/);
  assert.match(text, /socket not measured/);
  assert.match(text, /!5\.86 µs/);
  assert.match(text, /262k$/m);
  assert.match(text, /no interval for \d+ values?: .*fewer than 6 samples/);
  assert.match(text, /41 of 44 configurations measured/);
  matchesStored('terminal-troubled-80.txt', text);
});

test('what was measured again is marked, also where it is disturbed still, and the mark is explained', () => {
  const text = told(syntheticRetriedRun(), 80);
  assert.match(text, /^ +16 +\*4\.72 µs .* !\*0\.519 µs .* 0$/m);
  assert.match(text, /^ +8 +4\.71 µs .* 0\.518 µs .* 0$/m);
  assert.match(
    text.replaceAll(/\n +/g, ' '),
    /^\* 2 disturbed configurations measured again: 1 replaced by the second measurement, 1 still disturbed \(first measurement kept\), 1 more left out: the budget was spent$/m,
  );
});

test('colour is only added: without its codes the text is the same', () => {
  const run = syntheticTroubledRun();
  const coloured = told(run, 80, true);
  const codes = new RegExp(`${escapeCode}\\[\\d+m`, 'g');
  assert.notEqual(coloured, told(run, 80));
  assert.equal(coloured.replaceAll(codes, ''), told(run, 80));
  assert.ok(coloured.includes(`${escapeCode}[31m`), 'wrong data is red');
});

test('over GPUs latency, pipelined time, bus bandwidth and evidence of two transports fit 80 columns', () => {
  const text = told(ncclRun(), 80);
  const heads = text.split('\n').find((l) => l.startsWith('size'));
  assert.deepEqual(heads?.split(/ +/), 'size latency pipe busbw latency pipe busbw wrong'.split(' '));
  assert.match(text, /^ {3}8 +5\.\d+ µs +10\.2 µs .*✓ +2.* µs .*✓ +0$/m);
  assert.match(text, /^95 % intervals between launches: typically ±/m);
  matchesStored('terminal-nccl-80.txt', text);
});

test('with more room enqueue cost, intervals, algorithm and protocol are columns too', () => {
  const head = (run: ReportRun, columns: number) =>
    told(run, columns)
      .split('\n')
      .find((l) => l.startsWith('size'))
      ?.split(/ +/)
      .join(' ');
  assert.equal(
    head(ncclRun({ transports: [p2pPlan] }), 80),
    'size latency ± pipe enqueue busbw algo/proto wrong',
  );
  assert.equal(head(ncclRun(), 120), 'size over medium latency ± pipe enqueue algbw busbw algo/proto wrong');
});

test('a reader of nccl-tests is told once which figure is what, with the numbers of the run', () => {
  const text = told(ncclRun(), 80).replaceAll(/\n +/g, ' ');
  assert.match(
    text,
    /nccl-tests prints the pipelined time: 20 calls queued by the host, elapsed \/ 20\. At 8 B over p2p that is 10\.\d µs, mostly the host's enqueue cost \(8\.60 µs per call\), not the collective, which takes 5\.9\d µs on the GPUs once queued \(latency; what nccl-tests -G shows\)\. From about 1\.\d+ MiB .* the enqueue cost is hidden: at 2 MiB pipelined 14\.\d µs, latency 14\.\d µs\./,
  );
  const slow = told(ncclRun({ transports: [ncclSocketPlan] }), 80);
  assert.doesNotMatch(slow, /nccl-tests prints/, 'the enqueue cost hides behind a collective of 41 µs');
  assert.doesNotMatch(told(ncclRun({ settings: { graph: '1' } }), 80), /nccl-tests prints/);
});

test('a sweep of algorithms and protocols ends in the fastest per size, ties named', () => {
  const text = told(sweepRun(), 80);
  assert.match(text, /^fastest over p2p of 7 choices \(tie/m);
  assert.match(text, /^ +8 to \w+ +tie: NCCL's choice, ring\/LL, tree\/LL +5\.\d+ µs to .* ±0\.\d %$/m);
  assert.match(text, /^ +size +by pipelined time +time$/m);
  assert.doesNotMatch(text, /is faster/, 'choices of one transport are not compared in pairs');
  matchesStored('terminal-sweep-80.txt', text.slice(text.indexOf('\n\n', text.indexOf('  1G '))));
});

test('a point that is not in the plan is refused', () => {
  const { plan } = syntheticRun().record;
  assert.throws(
    () => createTable({ plan, columns: 80, color: false }).row(99, []),
    /point 99 is not in the plan/,
  );
});

test('steps of control paths lie on host and GPU: their times are said to be those of the host', () => {
  const { plan } = controlpathRun({ engine: 'cuda' }).record;
  const head = createTable({ plan, columns: 100, color: false }).head();
  assert.match(head, /time: median of one isolated operation/);
  assert.doesNotMatch(head, /hold kernel/);
});
