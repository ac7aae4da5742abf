import { z } from 'zod';
import { runPlan } from './plan.ts';
import { suiteMembership } from './suite.ts';
import { transportDetail } from './transports/detail.ts';

/** One launch: a start of all rank processes, with what each process reported when it was ready. */
export const launchRecord = z.strictObject({
  launch: z.int(),
  transport: z.int(),
  /** Index of the group of ranks (plan.groups.members); absent without groups. `rank` below counts all ranks of the run. */
  group: z.int().min(0).optional(),
  /** Number of the resumption or repetition that started this launch, counted from 1; absent = the first start of the run. */
  attempt: z.int().min(1).optional(),
  startedAtNs: z.int(),
  /** Time from the start of the processes until all ranks were connected, ns. */
  setupNs: z.int(),
  ranks: z.array(
    z.strictObject({
      rank: z.int(),
      pid: z.int(),
      /** Number of the CPU to which the rank process is bound; null if it is not bound to one. */
      cpu: z.int().nullable().optional(),
      /** CPUs on which the process may run, in the kernel's list format: "0-3". */
      cpus: z.string().optional(),
      /** Cores to which the CPUs in `cpus` belong; each core is named by its lowest hardware thread. */
      cores: z.string().optional(),
      /** Memory policy of the process as the kernel names it: "bind:0"; "" = none. */
      memory: z.string().optional(),
      device: z.string(),
      detail: transportDetail,
      medium: z.string(),
      /** Texts by name that the measured library reports: versions, device, environment variables that collbench set for it. */
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
  /** Number of physical cores to which these threads belong; absent = not known. */
  coreCount: z.int().optional(),
  numaNodes: z.int(),
  memoryBytes: z.int(),
  virtualization: z.string().nullable(),
  interfaces: z.array(
    z.strictObject({ name: z.string(), state: z.string(), mtu: z.int(), speedMbps: z.int().nullable() }),
  ),
});
export type Inventory = z.infer<typeof inventory>;

/** A failure of a run, described for readers. The first sentence of `message` names rank and phase if they are known. */
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
  /** The command that the user should type next, or the options to change in the typed one (null = remove); null = none. */
  next: z
    .union([z.string(), z.strictObject({ change: z.record(z.string(), z.string().nullable()) })])
    .nullable(),
});
export type Failure = z.infer<typeof failure>;

/** Returns a failure with these fields; all others are null, `details` is empty. */
export function failureWith(parts: Partial<Failure> & Pick<Failure, 'kind' | 'message'>): Failure {
  return { details: [], rank: null, host: null, phase: null, next: null, ...parts };
}

const runStates = ['running', 'complete', 'failed', 'interrupted'] as const;

/** One use of `collbench resume`, by which an incomplete run was continued. */
export const resumption = z.strictObject({
  at: z.iso.datetime(),
  /** Number of configurations that were complete at that time; their results were kept. */
  cellsBefore: z.int(),
  /** Number of lines in samples/blocks.ndjson at that time, including those of configurations that are measured again. */
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
  /** Differences from the earlier start, such as other versions, that the user accepted (`--force`); one sentence each. */
  differences: z.array(z.string()),
});
export type Resumption = z.infer<typeof resumption>;

/** A repetition, at the end of a run, of configurations whose first measurement was disturbed, for example by a busy CPU. */
export const retry = z.strictObject({
  /** Number of this repetition, counted together with resumptions from 1. Its samples and metrics carry the same number. */
  attempt: z.int().min(1),
  at: z.iso.datetime(),
  cells: z.array(
    z.strictObject({
      /** Index of the axis values in plan.points. `transport`: index in plan.transports. */
      point: z.int().min(0),
      transport: z.int().min(0),
      /** Names of the flags that show how the first measurement was disturbed: "cpu-busy". */
      flags: z.array(z.string()),
      /**
       * Result of the repetition. `replaced`: the second measurement was undisturbed and replaces the first. `disturbed`: the
       * second was also disturbed, so the first is kept. `open`: the second was not completed, so the first is kept.
       */
      outcome: z.enum(['replaced', 'disturbed', 'open']),
      /** Times in ns of both measurements by name ("latency"); null = not measured. With groups of ranks: of the first group. */
      figures: z.record(
        z.string(),
        z.strictObject({ first: z.number().nullable(), second: z.number().nullable() }),
      ),
    }),
  ),
  /** Number of disturbed configurations that were not repeated because the time budget was used up. */
  leftOut: z.int().min(0),
});
export type Retry = z.infer<typeof retry>;

/** One wait for idle hosts before measuring (`--wait-quiet`). */
export const quietWait = z.strictObject({
  at: z.iso.datetime(),
  seconds: z.number().min(0),
  /** True if all hosts were idle at its end; false if the time limit ended the wait. */
  isQuiet: z.boolean(),
  /** For each host the number of busy cores at the end of the wait; null if the host does not report its load. */
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
  /** Texts of the user: `label` names the run, `tags` are key-value pairs such as commit, `notes` are remarks. */
  label: z.string().optional(),
  tags: z.record(z.string(), z.string()).optional(),
  notes: z.array(z.string()).optional(),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
  state: z.enum(runStates),
  exitCode: z.int().nullable(),
  plan: runPlan,
  inventory: z.record(z.string(), inventory),
  /** Environment variables of the user that may matter: only those of an allow list (NCCL_*, UCX_*, FI_*, OMPI_*, ...). */
  environment: z.record(z.string(), z.string()),
  /** Names of those variables that the suite set for this run. Absent = all are from the user's environment. */
  environmentSet: z.array(z.string()).optional(),
  versions: z.record(z.string(), z.string()),
  launches: z.array(launchRecord),
  failures: z.array(failure),
  /** Log files by host, relative to the run's folder. `rank` null = shared file of the agent and all its ranks. */
  logs: z.array(z.strictObject({ host: z.string(), rank: z.int().nullable(), file: z.string() })).optional(),
  /**
   * Times at which the run was resumed, oldest first; absent = never. `startedAt` is the time of the first start, `failures` are
   * those of the last one.
   */
  resumed: z.array(resumption).optional(),
  /** Repetitions of disturbed configurations, oldest first; absent = none. */
  retries: z.array(retry).optional(),
  /** Waits for idle hosts, oldest first; absent = no wait was requested. */
  waits: z.array(quietWait).optional(),
  /** Present if the run came as a bundle file (`collbench import`), in which names, paths and addresses are replaced. */
  bundle: z.strictObject({ id: z.string(), importedAt: z.iso.datetime() }).optional(),
  /** The suite for which the run was measured; absent = no suite. */
  suite: suiteMembership.optional(),
  /** Counts and sentences on the result, written when the run ends; null until then. */
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

/** Returns how often the run was continued or repeated: number of resumptions plus repetitions; 0 = neither. */
export const attemptsOf = ({ resumed = [], retries = [] }: Pick<RunRecord, 'resumed' | 'retries'>): number =>
  resumed.length + retries.length;
