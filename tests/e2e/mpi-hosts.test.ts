// test: up to 330 s
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { CellRecord, RunRecord } from '../../results/schema/index.ts';
import { type Cluster, cluster } from '../cluster/bed.ts';
import { agentInside, linkDown, rankInside, signalProcesses } from '../cluster/faults.ts';
import type { TestHost } from '../cluster/host.ts';
import { leftovers } from '../cluster/leftovers.ts';
import { ndjson, run, start } from './harness.ts';
import { applyToHost, keptElsewhere, testFaults } from './support/fault.ts';
import { withCluster } from './support/hosts.ts';
import { missingMpich, mpich } from './support/mpi.ts';

// Tests engine `mpi` on hosts with a network and an sshd of their own. No host can log in to another: MPI's launcher reaches the
// others through the ranks alone.

const hasMpi = ['mpirun', 'mpicc'].every((name) => spawnSync(name, ['--version']).error === undefined);
const skip = hasMpi ? cluster() : 'mpirun or mpicc is missing: apt-get install openmpi-bin libopenmpi-dev';
const withoutMpich = missingMpich || skip;
const measured = ['--transport', 'socket', '--sizes', '24,64K', '--launches', '1', '--iters', '3'];

/** Checks a run on four hosts with two ranks each: every value verified, TCP proven, and nothing left on any host. */
async function checkRun(bed: Cluster, folder: string, engine: string, version: RegExp): Promise<void> {
  const record = JSON.parse(await readFile(path.join(folder, 'run.json'), 'utf8')) as RunRecord;
  assert.equal(record.plan.engine, engine);
  assert.deepEqual(
    record.plan.hosts.map(({ name, ranks }) => [name, ranks]),
    bed.hosts.map(({ name }, host) => [name, [2 * host, 2 * host + 1]]),
  );
  for (const { ranks } of record.launches) {
    assert.equal(ranks.length, 8);
    for (const { facts } of ranks) assert.match(facts?.['mpi.version'] ?? engine, version);
  }
  const cells = await ndjson<CellRecord>(path.join(folder, 'cells.ndjson'));
  assert.equal(cells.length, 2);
  for (const cell of cells) {
    assert.ok(cell.status === 'ok', cell.id);
    assert.ok(cell.verification.checks >= 8 && cell.verification.wrongElements === 0, cell.id);
    assert.notEqual(cell.evidence.verdict, 'contradicted', cell.evidence.reason);
  }
  const last = cells.at(-1);
  assert.ok(last?.status === 'ok');
  assert.equal(last.evidence.verdict, 'confirmed', last.evidence.reason);
  for (const host of bed.hosts)
    assert.deepEqual(await leftovers(host, { expected: keptElsewhere }), [], host.name);
}

const placed = (bed: Cluster) => ['--hosts', bed.hosts.map(({ name }) => `${name}:2`).join(',')];

test('engines cpu and mpi on four hosts with two ranks each: verified, proven, in one report', { skip }, () =>
  withCluster(4, async (bed, folder) => {
    const at = { cwd: folder, env: bed.environment, prefix: bed.prefix };
    const words = ['allreduce', '--engine', 'cpu,mpi', ...placed(bed), ...measured, '--out', 'both'];
    const ended = await run(words, at);
    assert.equal(ended.code, 0, ended.stdout + ended.stderr);
    assert.match(ended.stdout, /report of all engines: both\/report\.html/);
    assert.match(
      await readFile(path.join(folder, 'both/report.html'), 'utf8'),
      /with the cpu and mpi engine/,
    );
    await checkRun(bed, path.join(folder, 'both/cpu'), 'cpu', /^cpu$/);
    await checkRun(bed, path.join(folder, 'both/mpi'), 'mpi', /^Open MPI /);
  }),
);

test('MPICH on four hosts with two ranks each: verified and proven', { skip: withoutMpich }, () =>
  withCluster(4, async (bed, folder) => {
    const at = { cwd: folder, env: bed.environment, prefix: bed.prefix };
    const words = [
      'allreduce',
      '--engine',
      'mpi',
      '--mpi',
      mpich,
      ...placed(bed),
      ...measured,
      '--out',
      'run',
    ];
    const ended = await run(words, at);
    assert.equal(ended.code, 0, ended.stdout + ended.stderr);
    await checkRun(bed, path.join(folder, 'run'), 'mpi', /^MPICH /);
  }),
);

for (const [name, words, missing] of [
  ['Open MPI', [], false],
  ['MPICH', ['--mpi', mpich], withoutMpich],
] as const)
  test(
    `${name} over UCX beside its own TCP: verified, proven by sockets, interfaces and the report of UCX`,
    {
      skip: skip || missing,
    },
    () =>
      withCluster(2, async (bed, folder) => {
        const at = { cwd: folder, env: bed.environment, prefix: bed.prefix };
        const sizes = ['--sizes', '64K', '--launches', '1', '--iters', '3'];
        const command = ['allreduce', '--engine', 'mpi', ...words, ...placed(bed), ...sizes];
        const ended = await run([...command, '--transport', 'socket,ucx', '--out', 'run'], at);
        assert.equal(ended.code, 0, ended.stdout + ended.stderr);
        const cells = await ndjson<CellRecord>(path.join(folder, 'run/cells.ndjson'));
        assert.deepEqual(cells.map(({ transport }) => transport).sort(), ['socket', 'ucx']);
        for (const cell of cells) {
          assert.ok(cell.status === 'ok', cell.id);
          assert.ok(cell.verification.checks >= 4 && cell.verification.wrongElements === 0, cell.id);
          assert.equal(cell.evidence.verdict, 'confirmed', cell.evidence.reason);
          if (cell.transport !== 'ucx') continue;
          assert.match(
            cell.evidence.reason,
            /^UCX reported tcp\/eth0; the TCP sockets of the ranks received /,
          );
        }
        const record = JSON.parse(await readFile(path.join(folder, 'run/run.json'), 'utf8')) as RunRecord;
        const facts = record.launches.flatMap(({ ranks }) => ranks.map(({ facts }) => facts?.['mpi.ucx']));
        assert.equal(facts.filter((version) => /^\d+\.\d+/.test(version ?? '')).length, 4);
        for (const host of bed.hosts)
          assert.deepEqual(await leftovers(host, { expected: keptElsewhere }), [], host.name);
        const streams = await run([...command, '--transport', 'ucx', '--streams', '2'], at);
        assert.equal(streams.code, 1, streams.stdout + streams.stderr);
        assert.match(
          streams.stderr,
          /--streams has no effect with --transport ucx\n.*socket.*\nNext: collbench .*--transport ucx/,
        );
      }),
  );

test(
  'ranks round robin over hosts whose interfaces have different names: verified and proven',
  { skip },
  () =>
    withCluster(2, async (bed, folder) => {
      const second = bed.hosts[1] as TestHost;
      await second.root('ip link set eth0 down; ip link set eth0 name data0; ip link set data0 up');
      const hosts = ['--hosts', 'node01:slots=2:iface=eth0,node02:slots=2:iface=data0', '--map', 'node'];
      const words = ['allreduce', '--engine', 'mpi', ...hosts, ...measured];
      const at = { cwd: folder, env: bed.environment, prefix: bed.prefix };
      for (const mpi of missingMpich === false ? [[], ['--mpi', mpich]] : [[]]) {
        const ended = await run([...words, ...mpi, '--out', `run${mpi.length}`], at);
        assert.equal(ended.code, 0, ended.stdout + ended.stderr);
        assert.match(ended.stderr, /ranks 0,2 on node01, 1,3 on node02/);
        for (const cell of await ndjson<CellRecord>(path.join(folder, `run${mpi.length}`, 'cells.ndjson'))) {
          assert.ok(cell.status === 'ok', cell.id);
          assert.ok(cell.verification.checks >= 4 && cell.verification.wrongElements === 0, cell.id);
          assert.notEqual(cell.evidence.verdict, 'contradicted', cell.evidence.reason);
        }
      }
    }),
);

test("a daemon of MPI's launcher that fails is named with its host and its command", { skip }, () =>
  withCluster(2, async (bed, folder) => {
    const second = bed.hosts[1] as TestHost;
    await second.root('mount --bind /bin/false "$(readlink -f /usr/bin/orted)"');
    const words = ['allreduce', '--engine', 'mpi', '--hosts', 'node01,node02', ...measured];
    const ended = await run(words, { cwd: folder, env: bed.environment, prefix: bed.prefix });
    assert.equal(ended.code, 2, ended.stdout + ended.stderr);
    assert.match(
      ended.stderr,
      /rank 1 on node02 [\s\S]*daemon of MPI's launcher on [\d.]+ \(.*orted.*\) ended with/,
    );
    for (const host of bed.hosts)
      assert.deepEqual(await leftovers(host, { expected: keptElsewhere }), [], host.name);
  }),
);

test('engine mpi: a host that dies is named, and nothing is left on the other', { skip }, () =>
  withCluster(2, async (bed, folder) => {
    const [first, second] = bed.hosts as [TestHost, TestHost];
    const words = ['allreduce', '--engine', 'mpi', '--hosts', 'node01:2,node02:2', '--transport', 'socket'];
    const sizes = ['--sizes', '8,1M,2M', '--iters', '150', '--launches', '1', '--timeout', '20'];
    const started = start([...words, ...sizes, '--out', 'run'], {
      cwd: folder,
      env: bed.environment,
      prefix: bed.prefix,
    });
    await started.sees(/^ +8 +2 /m);
    process.kill(second.initPid, 'SIGKILL');
    const ended = await started.ended;
    assert.equal(ended.code, 2, ended.stdout + ended.stderr);
    const record = JSON.parse(await readFile(path.join(folder, 'run/run.json'), 'utf8')) as RunRecord;
    assert.equal(record.failures[0]?.host, 'node02', ended.stderr);
    assert.deepEqual(await leftovers(first, { expected: keptElsewhere }), []);
  }),
);

const signal = (pattern: RegExp) => async (_: Cluster, host: TestHost) =>
  void signalProcesses(host, pattern, 'SIGKILL');
const words = ['--engine', 'mpi', '--timeout', '20'];

if (hasMpi)
  testFaults([
    {
      name: 'engine mpi: a rank is killed',
      during: signal(rankInside),
      code: 2,
      says: /rank 1[\s\S]*(SIGKILL|killed)/,
      words,
    },
    {
      name: 'engine mpi: the agent is killed',
      during: signal(agentInside),
      code: 2,
      says: /node02[\s\S]*(SIGKILL|killed|lost)/,
      words,
      // The agent would have removed the files of MPI's daemon, but it was killed; the next launch on this host removes them.
      keeps: /^file \/tmp\/collbench-\d+\/process-/,
    },
    {
      name: 'engine mpi: the cable is pulled',
      during: applyToHost(linkDown),
      code: 2,
      says: /node02/,
      words,
    },
  ]);
