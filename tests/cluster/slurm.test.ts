// test: alone
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { pollUntil } from './command.ts';
import { openSlurm, slurm, type TestSlurm } from './slurm.ts';

describe('a Slurm cluster on this machine', { skip: slurm() }, () => {
  let cluster: TestSlurm;
  let traceless: string[];
  before(async () => {
    traceless = traces();
    cluster = await openSlurm({ nodes: 2 });
  });
  after(() => cluster?.close());

  test('srun reaches both nodes', async () => {
    const show = 'echo "$SLURMD_NODENAME $SLURM_PROCID of $SLURM_NTASKS"';
    const ended = await cluster.run('srun', ['--nodes=2', '--ntasks-per-node=2', 'sh', '-c', show]);
    assert.equal(ended.code, 0, ended.stderr);
    assert.deepEqual(ended.stdout.trim().split('\n').sort(), [
      'slurm1 0 of 4',
      'slurm1 1 of 4',
      'slurm2 2 of 4',
      'slurm2 3 of 4',
    ]);
  });

  test('steps run within an allocation, and stdin reaches them', async () => {
    const steps =
      'for node in slurm1 slurm2; do echo "for $node" | srun --nodelist=$node --nodes=1 --ntasks=1 cat; done';
    const ended = await cluster.run('salloc', ['--quiet', '--nodes=2', 'sh', '-c', steps]);
    assert.equal(ended.code, 0, ended.stderr);
    assert.equal(ended.stdout, 'for slurm1\nfor slurm2\n');
  });

  test('a cancelled job ends, its processes too', async () => {
    const job = cluster.run('srun', ['--job-name=long', '--nodes=2', 'sleep', '1005']);
    await pollUntil('both tasks run', () => commands(/^\S*sleep 1005 $/).length === 2, 30_000);
    const cancelled = await cluster.run('scancel', ['--name=long']);
    assert.equal(cancelled.code, 0, cancelled.stderr);
    assert.notEqual((await job).code, 0);
    await pollUntil('both tasks are gone', () => commands(/^\S*sleep 1005 $/).length === 0, 30_000);
  });

  test('close() ends daemons and jobs and leaves nothing', async () => {
    const job = cluster.run('srun', ['--nodes=1', 'sleep', '1006']);
    await pollUntil('the task runs', () => commands(/^\S*sleep 1006 $/).length === 1, 30_000);
    assert.ok(
      added().some((line) => line.includes('slurmctld')),
      added().join('\n'),
    );
    await cluster.close();
    await cluster.close();
    for (const pid of commands(/^srun .*sleep 1006 $/)) process.kill(pid, 'SIGKILL');
    await job;
    assert.deepEqual(added(), []);
  });

  const added = () => traces().filter((trace) => !traceless.includes(trace));
});

function processes(): { pid: number; command: string }[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return [
        { pid: Number(name), command: readFileSync(`/proc/${name}/cmdline`, 'latin1').replaceAll('\0', ' ') },
      ];
    } catch {
      return []; // The process ended between these reads.
    }
  });
}

const commands = (pattern: RegExp): number[] =>
  processes()
    .filter(({ command }) => pattern.test(command))
    .map(({ pid }) => pid);

/** Processes, files and mounts of this machine, among which those that a Slurm cluster left behind would be. */
function traces(): string[] {
  const daemons = /^(munged|slurmctld|slurmd|slurmstepd|srun|salloc|\S*sleep 100[56])\b/;
  return [
    ...processes().flatMap(({ pid, command }) => (daemons.test(command) ? [`${pid} ${command}`] : [])),
    ...readdirSync('/tmp').filter((name) => name.startsWith('collbench-slurm-')),
    ...['/dev/shm', '/run', '/var/lib', '/var/log', '/var/spool'].flatMap((folder) =>
      readdirSync(folder).map((name) => `${folder}/${name}`),
    ),
    ...readFileSync('/proc/mounts', 'utf8').split('\n'),
  ];
}
