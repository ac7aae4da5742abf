import type { AgentProcess, Launcher } from './launcher.ts';
import { startChild } from './local.ts';

export interface SlurmOptions {
  /** Id of the Slurm allocation in which agents run; null = srun requests a new allocation per host. */
  jobId: string | null;
  /**
   * Folder to which the agent program is copied first (`srun --bcast`), for clusters without a shared file system; null = not
   * copied.
   */
  broadcastTo: string | null;
  /** Additional arguments of srun: partition, account, gres. */
  extra: readonly string[];
}

/** Slurm options from the environment of an allocation: its job id alone, null outside of one. */
export const slurmFromEnvironment = (env: NodeJS.ProcessEnv = process.env): SlurmOptions => ({
  jobId: env.SLURM_JOB_ID ?? null,
  broadcastTo: null,
  extra: [],
});

/**
 * Launcher that starts agents as job steps: one srun per node, whose stdin and stdout are connected to the agent. Steps are
 * started with --overlap, because another step of the allocation (the shell that runs collbench) holds its cores. srun ends
 * with the agent: it passes on SIGTERM, and Slurm kills what a step leaves behind.
 */
export function slurmLauncher(options: SlurmOptions): Launcher {
  return {
    name: 'slurm',
    remote: true,
    start(host, agentPath): AgentProcess {
      return startChild(host, 'srun', srunArguments(host, agentPath, options), process.env);
    },
  };
}

/** Arguments of srun; exported for tests and for `--explain`. */
export function srunArguments(host: string, agentPath: string, options: SlurmOptions): string[] {
  const { jobId, broadcastTo, extra } = options;
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
    ...(broadcastTo === null ? [] : [`--bcast=${broadcastTo}`]),
    ...extra,
    '--',
    agentPath,
  ];
}
