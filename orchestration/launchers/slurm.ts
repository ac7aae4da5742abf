import type { AgentProcess, Launcher } from './launcher.ts';
import { startChild } from './local.ts';

export interface SlurmOptions {
  /** The allocation to run in; `null` = srun asks for one per host. */
  jobId: string | null;
  /** Copied to each node first (`srun --bcast`), for clusters without a common file system; `null` = not copied. */
  broadcastTo: string | null;
  /** Further arguments of srun: partition, account, gres. */
  extra: readonly string[];
}

/** What the environment of an allocation says. */
export const slurmFromEnvironment = (env: NodeJS.ProcessEnv = process.env): SlurmOptions => ({
  jobId: env.SLURM_JOB_ID ?? null,
  broadcastTo: null,
  extra: [],
});

/**
 * Agents as job steps: one srun per node, its stdin and stdout are the agent's. Steps overlap, because other steps of the
 * allocation (the shell that runs this) hold its cores. Ends with the agent: srun passes on SIGTERM, and Slurm kills
 * whatever a step leaves behind.
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

/** Exported for the tests and for what `--explain` prints. */
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
