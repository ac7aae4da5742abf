// test: up to 120 s
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { RunRecord } from '../../results/schema/index.ts';
import { pollUntil } from '../cluster/command.ts';
import { openSlurm, slurm, type TestSlurm } from '../cluster/slurm.ts';
import { command, findOnlyRun, root, type StartedProcess, skipUnless, start, withFolder } from './harness.ts';

const withoutMpi = skipUnless(
  ['mpirun', 'mpicc'].every((name) => spawnSync(name, ['--version']).error === undefined),
  'mpirun or mpicc is missing: apt-get install openmpi-bin libopenmpi-dev',
);

// The agents run as job steps of a real slurmctld with two slurmd on this machine.
describe('collbench in an allocation of Slurm', { skip: slurm() }, () => {
  let cluster: TestSlurm;
  before(async () => {
    cluster = await openSlurm({ nodes: 2 });
  });
  after(() => cluster?.close());

  const words = ['--launcher', 'slurm', '--sizes', '8,64K', '--launches', '1', '--iters', '3'];

  test('the nodes of the allocation are the hosts; every rank is verified', async () => {
    await withFolder(async (folder) => {
      const out = path.join(folder, 'run');
      const ended = await cluster.run('salloc', [
        ...['--quiet', '--nodes=2', '--ntasks-per-node=2', command, 'allreduce'],
        ...[...words, '--out', out],
      ]);
      assert.equal(ended.code, 0, ended.stderr);
      assert.match(ended.stderr, /ranks 0-1 on slurm1, 2-3 on slurm2/);
      const record = JSON.parse(await readFile(path.join(out, 'run.json'), 'utf8')) as RunRecord;
      assert.equal(record.plan.launcher, 'slurm');
      assert.deepEqual(Object.keys(record.inventory), ['slurm1', 'slurm2']);
      assert.ok((record.summary?.checks ?? 0) >= record.plan.expected.checks);
      assert.equal(record.summary?.wrongElements, 0);
    });
  });

  test('engine mpi: MPI starts its ranks through the agents, not by Slurm', {
    skip: withoutMpi,
  }, async () => {
    await withFolder(async (folder) => {
      const out = path.join(folder, 'run');
      const ended = await cluster.run('salloc', [
        ...['--quiet', '--nodes=2', '--ntasks-per-node=2', command, 'allreduce'],
        ...[...words, '--engine', 'mpi', '--out', out],
      ]);
      assert.equal(ended.code, 0, ended.stderr);
      const record = JSON.parse(await readFile(path.join(out, 'run.json'), 'utf8')) as RunRecord;
      assert.equal(record.plan.engine, 'mpi');
      assert.deepEqual(Object.keys(record.inventory), ['slurm1', 'slurm2']);
      assert.ok((record.summary?.checks ?? 0) > 0);
      assert.equal(record.summary?.wrongElements, 0);
    });
  });

  test('outside an allocation without hosts there is nowhere to go, and that is said', async () => {
    const ended = await cluster.run(command, ['allreduce', ...words]);
    assert.equal(ended.code, 2);
    assert.match(ended.stderr, /no hosts are named, and this is no allocation of Slurm/);
  });

  test('doctor --drain: the script drains the node with an error, and keeps the reasons of others', () =>
    withFolder(async (folder) => {
      const script = path.join(folder, 'drain.sh');
      const stateOf = async (node: string) => {
        const shown = (await cluster.run('scontrol', ['show', 'node', node])).stdout;
        const states = /State=(\S+)/.exec(shown)?.[1]?.split('+') ?? [];
        return { isDrained: states.includes('DRAIN'), reason: /Reason=(.*) \[/.exec(shown)?.[1] };
      };
      const hosts = ['--launcher', 'slurm', '--hosts', 'slurm1,slurm2:iface=absent0'];
      const drain = ['--drain', script, '--drain-as', 'slurm'];
      const ended = await cluster.run(command, ['doctor', '--transport', 'socket', ...hosts, ...drain]);
      assert.equal(ended.code, 2, ended.stderr);
      assert.equal((await stateOf('slurm2')).isDrained, false);
      const drained = await cluster.run('sh', [script]);
      assert.equal(drained.code, 0, drained.stderr);
      assert.equal((await stateOf('slurm1')).isDrained, false);
      const { isDrained, reason } = await stateOf('slurm2');
      assert.ok(isDrained);
      assert.match(reason ?? '', /^collbench doctor: .*absent0/);
      await cluster.run('scontrol', ['update', 'NodeName=slurm2', 'State=DRAIN', 'Reason=new memory']);
      assert.equal((await cluster.run('sh', [script])).code, 0);
      assert.equal((await stateOf('slurm2')).reason, 'new memory');
      await cluster.run('scontrol', ['update', 'NodeName=slurm2', 'State=RESUME']);
      assert.equal((await stateOf('slurm2')).isDrained, false);
    }));

  test('named hosts without an allocation: Slurm gives each step its own', async () => {
    await withFolder(async (folder) => {
      const hosts = ['--hosts', 'slurm1:1,slurm2:1', '--out', path.join(folder, 'run')];
      const ended = await cluster.run(command, ['allreduce', ...words, ...hosts]);
      assert.equal(ended.code, 0, ended.stderr);
      assert.match(ended.stderr, /rank 0 on slurm1, 1 on slurm2/);
    });
  });
});

describe('collbench on nodes of Slurm that do not see its folder', { skip: slurm() }, () => {
  let cluster: TestSlurm;
  const hides = [
    root,
    ...(process.env.COLLBENCH_NATIVE_DIR === undefined ? [] : [process.env.COLLBENCH_NATIVE_DIR]),
  ];
  before(async () => {
    cluster = await openSlurm({ nodes: 2, hides });
  });
  after(() => cluster?.close());

  test('the agent is copied to them, and removed at the end', () =>
    withFolder(async (folder) => {
      const agent = path.join(root, 'package.json');
      const seen = await cluster.run('srun', ['--nodelist=slurm1', 'ls', agent]);
      assert.notEqual(seen.code, 0, seen.stdout);
      const temporary = path.join(folder, 'tmp');
      await mkdir(temporary);
      const out = path.join(folder, 'run');
      const options = [
        '--launcher',
        'slurm',
        '--sizes',
        '8,64K',
        '--launches',
        '1',
        '--iters',
        '3',
        '--out',
        out,
      ];
      const ended = await cluster.run('salloc', [
        ...[
          '--quiet',
          '--nodes=2',
          '--ntasks-per-node=1',
          'env',
          `TMPDIR=${temporary}`,
          command,
          'allreduce',
        ],
        ...options,
      ]);
      assert.equal(ended.code, 0, ended.stderr);
      const record = JSON.parse(await readFile(path.join(out, 'run.json'), 'utf8')) as RunRecord;
      assert.equal(record.summary?.wrongElements, 0);
      assert.deepEqual(await readdir(temporary), []);
    }));

  // The larger size takes seconds, in which the fault happens even on a busy machine; more iterations would also delay the first row.
  const long = [
    ...['allreduce', '--launcher', 'slurm', '--hosts', 'slurm1:1,slurm2:1', '--launches', '1'],
    ...['--sizes', '8,16M', '--iters', '400', '--timeout', '10'],
  ];
  /** Processes whose program is below a folder. */
  const processesBelow = (temporary: string) =>
    readdirSync('/proc').flatMap((name) => {
      if (!/^\d+$/.test(name)) return [];
      try {
        if (!readlinkSync(`/proc/${name}/exe`).startsWith(temporary)) return [];
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return [{ pid: Number(name), command }];
      } catch {
        // It has ended.
        return [];
      }
    });

  /** Starts a long run, breaks it after its first row, and checks that no process and no file is left on the nodes. */
  const broken = async (breakIt: (started: StartedProcess, temporary: string) => void) =>
    withFolder(async (folder) => {
      const temporary = path.join(folder, 'tmp');
      await mkdir(temporary);
      const started = start(long, { cwd: folder, env: { ...cluster.environment, TMPDIR: temporary } });
      await started.sees(/\n\s+8\s+2 /);
      breakIt(started, temporary);
      const ended = await started.ended;
      await pollUntil('no process is left', () => processesBelow(temporary).length === 0);
      assert.deepEqual(await readdir(temporary), []);
      const file = path.join(await findOnlyRun(folder), 'run.json');
      return { ended, record: JSON.parse(await readFile(file, 'utf8')) as RunRecord };
    });

  test('a rank that is killed is named with its node, and nothing is left', async () => {
    const { ended, record } = await broken((_, temporary) => {
      const rank = processesBelow(temporary).find(({ command }) => /collbench-agent rank/.test(command));
      process.kill(rank?.pid as number, 'SIGKILL');
    });
    assert.equal(ended.code, 2, ended.stderr);
    const [failure] = record.failures;
    assert.equal(failure?.kind, 'rank-died');
    assert.equal(failure?.host, `slurm${(failure?.rank ?? 0) + 1}`);
  });

  test('Ctrl-C keeps what was measured and leaves nothing', async () => {
    const { ended, record } = await broken(({ child }) => child.kill('SIGINT'));
    assert.equal(ended.code, 130, ended.stderr);
    assert.equal(record.state, 'interrupted');
  });
});
