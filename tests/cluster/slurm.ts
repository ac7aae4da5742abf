import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ProcessResult, skipUnless } from '../e2e/harness.ts';
import { execute, mayUnshare, missingPrograms, pollUntil } from './command.ts';
import { runOnExit } from './guard.ts';
import { freePorts } from './ports.ts';

/** A Slurm cluster on this machine: munged, slurmctld and one slurmd per node, with their own files and ports. */
export interface TestSlurm {
  nodes: string[];
  /** Variables that select this cluster, for srun, sbatch and programs that call them. */
  environment: Record<string, string>;
  /** Runs a program with `environment`, so that Slurm's programs use this cluster. */
  run(program: string, args: readonly string[]): Promise<ProcessResult>;
  /** Ends daemons and jobs, removes the folder. May be called more than once. */
  close(): Promise<void>;
}

/** Value for a test's `skip`: false, or the reason why no Slurm cluster can run on this machine. */
export function slurm(): false | string {
  const programs = ['slurmctld', 'slurmd', 'srun', 'sinfo', 'munged', 'unshare'];
  return skipUnless(
    missingPrograms(programs).length === 0 && mayUnshare(),
    `a Slurm cluster needs root, namespaces, ${programs.join(', ')}`,
  );
}

/**
 * Starts a Slurm cluster, by default with two nodes, and resolves when all nodes are there. The nodes share this machine's
 * file system, hostname and processors; each is configured with 16 CPUs.
 * @param options.settings returns additional lines of slurm.conf, from its path
 * @param options.hides folders of this machine that are empty on the nodes, as without a shared file system
 */
export async function openSlurm(
  options: { nodes?: number; hides?: readonly string[]; settings?: (file: string) => string[] } = {},
): Promise<TestSlurm> {
  const nodes = Array.from({ length: options.nodes ?? 2 }, (_, index) => `slurm${index + 1}`);
  const folder = await mkdtemp(path.join(tmpdir(), 'collbench-slurm-'));
  // Programs of other users must reach the sockets.
  await chmod(folder, 0o755);
  await mkdir(path.join(folder, 'state'), { mode: 0o700 });
  await mkdir(path.join(folder, 'munge'), { mode: 0o755 });
  await writeFile(path.join(folder, 'munge', 'key'), randomBytes(128), { mode: 0o400 });
  const configuration = path.join(folder, 'slurm.conf');
  const lines = slurmConf(folder, nodes, await freePorts(nodes.length + 1, '0.0.0.0'));
  await writeFile(configuration, [...lines, ...(options.settings?.(configuration) ?? []), ''].join('\n'));

  // The second rm removes files that daemons wrote while the first one ran.
  const guarded = runOnExit('rm -rf "$1" || rm -rf "$1"', [folder]);
  // This bash reads commands from stdin. When stdin closes, bash exits and the kernel ends its process namespace, with all
  // daemons and jobs.
  const namespaces = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
  const daemons = spawn('unshare', [...namespaces, 'bash'], {
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', SLURM_CONF: configuration },
  });
  const gone = new Promise<void>((resolve) => daemons.once('close', () => resolve()));
  daemons.unref();
  daemons.stdin.on('error', () => undefined);
  const tell = (line: string) => daemons.stdin.write(`${line}\n`);

  const environment = { SLURM_CONF: configuration };
  const run = (program: string, args: readonly string[]) =>
    execute(program, args, { env: { ...process.env, ...environment } });
  const close = async () => {
    daemons.ref();
    daemons.stdin.end();
    await gone;
    await guarded.release();
  };
  try {
    const m = path.join(folder, 'munge');
    tell(
      `munged --foreground --key-file=${m}/key --socket=${m}/socket --pid-file=${m}/pid --log-file=${m}/log ` +
        `--seed-file=${m}/seed >${m}/output 2>&1 &`,
    );
    await pollUntil('munged listens', () => existsSync(path.join(m, 'socket')));
    tell(`slurmctld -D -f ${configuration} >${folder}/slurmctld.output 2>&1 &`);
    const hiding = (options.hides ?? []).map((hidden) => `mount -t tmpfs -o mode=755 hidden ${hidden};`);
    for (const node of nodes)
      tell(
        `unshare --mount sh -c '${hiding.join(' ')} exec "$@"' sh slurmd -D -N ${node} -f ${configuration} >${folder}/${node}.output 2>&1 &`,
      );
    await pollUntil(
      'all nodes are there',
      async () => {
        const states = (await run('sinfo', ['--noheader', '--Node', '--format=%t'])).stdout.split('\n');
        // A health check may drain a node as soon as it is there.
        return states.filter((state) => ['idle', 'drain'].includes(state)).length === nodes.length;
      },
      30_000,
    ); // prettier-ignore
  } catch (error) {
    const log = await readFile(path.join(folder, 'slurmctld.output'), 'utf8').catch(() => '');
    await close();
    throw new Error(`Slurm does not start: ${(error as Error).message}\n${log}`);
  }
  return { nodes, environment, run, close };
}

function slurmConf(folder: string, nodes: readonly string[], ports: readonly number[]): string[] {
  return [
    'ClusterName=collbench-test',
    'SlurmctldHost=localhost',
    `SlurmctldPort=${ports[0]}`,
    'SlurmUser=root',
    'SlurmdUser=root',
    'AuthType=auth/munge',
    `AuthInfo=socket=${folder}/munge/socket`,
    'CredType=cred/munge',
    `StateSaveLocation=${folder}/state`,
    `SlurmdSpoolDir=${folder}/spool-%n`,
    `SlurmctldPidFile=${folder}/slurmctld.pid`,
    `SlurmdPidFile=${folder}/slurmd-%n.pid`,
    'ProctrackType=proctrack/linuxproc',
    'TaskPlugin=task/none',
    'MpiDefault=none',
    'ReturnToService=2',
    // This setting allows more CPUs per node than the machine has.
    'SlurmdParameters=config_overrides',
    ...nodes.map(
      (node, index) =>
        `NodeName=${node} NodeHostname=localhost NodeAddr=127.0.0.1 Port=${ports[index + 1]} CPUs=16`,
    ), // prettier-ignore
    `PartitionName=test Nodes=${nodes.join(',')} Default=YES State=UP`,
  ];
}
