import { z } from 'zod';
import { runPlan } from './plan.ts';
import { suiteMembership } from './suite.ts';

/** One start of all rank processes, with what each process reported when it was ready. */
export const launchRecord = z.strictObject({
  launch: z.int(),
  transport: z.int(),
  /** Index into plan.groups.members; absent if the run has no groups. `ranks` are numbered as in the run. */
  group: z.int().min(0).optional(),
  /** Number of the resumption or retry that started this launch, counted from 1; absent = the first start of the run. */
  attempt: z.int().min(1).optional(),
  startedAtNs: z.int(),
  /** Nanoseconds from the start of the processes until all ranks were connected. */
  setupNs: z.int(),
  ranks: z.array(
    z.strictObject({
      rank: z.int(),
      pid: z.int(),
      /** CPU to which the rank process was bound; null if it was not bound. */
      cpu: z.int().nullable().optional(),
      /** CPUs on which the process may run, as a kernel list: "0-3". */
      cpus: z.string().optional(),
      /**
       * Cores to which the CPUs in `cpus` belong; each core is named by its lowest hardware thread. Absent in records of older
       * agents.
       */
      cores: z.string().optional(),
      /** Memory policy of the process as the kernel names it: "bind:0"; "" = none. */
      memory: z.string().optional(),
      device: z.string(),
      detail: z.string(),
      medium: z.string(),
      /** Text values that the engine reports by name: versions, device, variables that it set (native/engines/nccl). */
      facts: z.record(z.string(), z.string()).optional(),
    }),
  ),
});
export type LaunchRecord = z.infer<typeof launchRecord>;

export const inventory = z.strictObject({
  hostname: z.string(),
  os: z.string(),
  kernel: z.string(),
  architecture: z.string(),
  cpuModel: z.string(),
  /** Number of hardware threads that are online. */
  cpuCount: z.int(),
  /** Number of cores that these threads belong to; absent in records of older agents. */
  coreCount: z.int().optional(),
  numaNodes: z.int(),
  memoryBytes: z.int(),
  virtualization: z.string().nullable(),
  interfaces: z.array(
    z.strictObject({ name: z.string(), state: z.string(), mtu: z.int(), speedMbps: z.int().nullable() }),
  ),
});
export type Inventory = z.infer<typeof inventory>;

/** A failure of a run for readers. The first sentence of `message` names rank and phase. */
export const failure = z.strictObject({
  /**
   * Kind of the failure: rank-died, hang, agent-lost, setup, wrong-data, contradicted, incomplete, disk, interrupted or internal.
   */
  kind: z.string(),
  message: z.string(),
  /** Further lines of text: progress of each rank, call stack, end of a log. */
  details: z.array(z.string()),
  rank: z.int().nullable(),
  host: z.string().nullable(),
  phase: z.string().nullable(),
  /** The command that the user should type next; null = none. */
  next: z.string().nullable(),
});
export type Failure = z.infer<typeof failure>;

/** Returns a failure with the given fields. All other fields are null or empty. */
export function failureWith(parts: Partial<Failure> & Pick<Failure, 'kind' | 'message'>): Failure {
  return { details: [], rank: null, host: null, phase: null, next: null, ...parts };
}

const runStates = ['running', 'complete', 'failed', 'interrupted'] as const;

/** One `collbench resume`, which continued an incomplete run. */
export const resumption = z.strictObject({
  at: z.iso.datetime(),
  /** Number of cells that were complete when the run was resumed. Their results were kept. */
  cellsBefore: z.int(),
  /** Number of lines in samples/blocks.ndjson when the run was resumed. It includes blocks of cells that are measured again. */
  blocksBefore: z.int(),
  collbenchVersion: z.string(),
  agentVersion: z.string(),
  /**
   * State and end of the run before this resumption. `running` = the process was killed; the time is then that of the last stored
   * line.
   */
  before: z.strictObject({
    state: z.enum(runStates),
    endedAt: z.iso.datetime().nullable(),
    failures: z.array(failure),
  }),
  /** Differences from the earlier start, such as other versions, that the user accepted with `--force`; one sentence each. */
  differences: z.array(z.string()),
});
export type Resumption = z.infer<typeof resumption>;

/** One time at which disturbed cells were measured again, at the end of a start of the run. */
export const retry = z.strictObject({
  /** Number of this attempt. The blocks and metrics of the retry contain the same number. */
  attempt: z.int().min(1),
  at: z.iso.datetime(),
  cells: z.array(
    z.strictObject({
      /** Index into plan.points. `transport` is the index into plan.transports. */
      point: z.int().min(0),
      transport: z.int().min(0),
      /** Flags that show how the first measurement was disturbed. */
      flags: z.array(z.string()),
      /**
       * Result of the repetition. `replaced`: the second measurement was undisturbed and replaces the first. `disturbed`: the
       * second was also disturbed, so the first is kept. `open`: the second was not completed, so the first is kept.
       */
      outcome: z.enum(['replaced', 'disturbed', 'open']),
      /** Measured figures of both measurements by name, ns; null = not measured. With groups, figures of the first group. */
      figures: z.record(
        z.string(),
        z.strictObject({ first: z.number().nullable(), second: z.number().nullable() }),
      ),
    }),
  ),
  /** Number of disturbed cells that were not measured again because the time budget was used up. */
  leftOut: z.int().min(0),
});
export type Retry = z.infer<typeof retry>;

/** One wait until all hosts are idle, before measuring. */
export const quietWait = z.strictObject({
  at: z.iso.datetime(),
  seconds: z.number().min(0),
  /** True if all hosts were idle at the end; false if the time limit ended the wait. */
  isQuiet: z.boolean(),
  /** Number of busy cores of each host at the end of the wait; null if its metrics do not show it. */
  busyCores: z.record(z.string(), z.number().nullable()),
});
export type QuietWait = z.infer<typeof quietWait>;

/**
 * Contents of `run.json`, rewritten atomically at the start and at the end. `state` running without a live writer process means
 * the run was killed.
 */
export const runRecord = z.strictObject({
  schemaVersion: z.literal(3),
  id: z.string(),
  title: z.string(),
  /** Texts that the user entered: `label` is a name for the run, `tags` are words for searching, `notes` are remarks. */
  label: z.string().optional(),
  tags: z.record(z.string(), z.string()).optional(),
  notes: z.array(z.string()).optional(),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
  state: z.enum(runStates),
  exitCode: z.int().nullable(),
  plan: runPlan,
  inventory: z.record(z.string(), inventory),
  /** Allow-listed environment variables only (NCCL_*, NVSHMEM_*, UCX_*, FI_*, OFI_*, OMPI_*, SOFTNTB_*, COLLBENCH_*). */
  environment: z.record(z.string(), z.string()),
  /** Names of the variables in `environment` that the suite set for this run. Absent = all come from the user's environment. */
  environmentSet: z.array(z.string()).optional(),
  versions: z.record(z.string(), z.string()),
  launches: z.array(launchRecord),
  failures: z.array(failure),
  /** Log files of the hosts, relative to the run's folder. `rank` null = file of the agent and all its ranks. */
  logs: z.array(z.strictObject({ host: z.string(), rank: z.int().nullable(), file: z.string() })).optional(),
  /**
   * Times at which the run was resumed, oldest first; absent = never. `startedAt` is the time of the first start, `failures` are
   * those of the last one.
   */
  resumed: z.array(resumption).optional(),
  /** Retries, oldest first; absent = nothing was measured again. */
  retries: z.array(retry).optional(),
  /** Waits for idle hosts, oldest first; absent = no wait was requested. */
  waits: z.array(quietWait).optional(),
  /** Present if the run was received as a bundle (`collbench import`): its names, paths and addresses are replacements. */
  bundle: z.strictObject({ id: z.string(), importedAt: z.iso.datetime() }).optional(),
  /** The suite for which the run was measured; absent = no suite. */
  suite: suiteMembership.optional(),
  /** Counts and verdicts, as sentences, written at the end of the run; null until then. */
  summary: z
    .strictObject({
      cellsMeasured: z.int(),
      cellsExpected: z.int(),
      checks: z.int(),
      wrongElements: z.int(),
      flagged: z.int(),
      sentences: z.array(z.string()),
    })
    .nullable(),
});
export type RunRecord = z.infer<typeof runRecord>;

/** Returns the number of the newest attempt: 0 = the first start; every resumption and every retry adds 1. */
export const attemptsOf = ({ resumed = [], retries = [] }: Pick<RunRecord, 'resumed' | 'retries'>): number =>
  resumed.length + retries.length;
