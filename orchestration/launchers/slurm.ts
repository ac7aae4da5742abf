import type { Launcher } from './launcher.ts';
import { shellLauncher } from './shell.ts';

/**
 * Returns a launcher that starts agents as job steps: one srun per node, whose stdin and stdout are connected to a shell that
 * becomes the agent. The agent is copied to nodes that do not have it under the same path as this machine. In an allocation, steps
 * are started with --overlap, because another step (the shell that runs collbench) holds the cores. srun ends with the agent: it
 * passes on SIGTERM, and Slurm kills what a step leaves behind.
 * @param jobId id of the Slurm allocation in which agents run; null = srun requests a new allocation per host
 * @param remoteDir folder on the nodes in which an uploaded agent stays; null = a temporary one
 */
export function slurmLauncher(jobId: string | null, remoteDir: string | null): Launcher {
  return shellLauncher({
    name: 'slurm',
    words: (host) => ['srun', ...srunArguments(host, jobId)],
    remoteDir,
    isShared: true,
    passesSignals: true,
    explain: () => null,
  });
}

/**
 * Returns the arguments of srun, without "srun", that start a shell on a host.
 * @param jobId id of the Slurm allocation; null = srun requests a new one
 */
export function srunArguments(host: string, jobId: string | null): string[] {
  return [
    ...(jobId === null ? [] : [`--jobid=${jobId}`, '--overlap']),
    `--nodelist=${host}`,
    '--nodes=1',
    '--ntasks=1',
    '--unbuffered',
    '--quiet',
    '--input=0',
    '--cpu-bind=none',
    '--kill-on-bad-exit=1',
    '--job-name=collbench',
    '--',
    '/bin/sh',
  ];
}
