import { z } from 'zod';
import { runPlan } from './plan.ts';
import { runStates } from './run-state.ts';
import { suiteMembership } from './suite.ts';
import { transportDetail } from './transports/detail.ts';

/**
 * One launch (a start of all rank processes) over one transport, with the facts that each process reported when it was ready.
 * `launch`: number of the launch, from 0; `transport`: index in plan.transports. `startedAtNs`: time on the monotonic clock of
 * the controller's machine.
 */
export const launchRecord = z.strictObject({
  launch: z.int(),
  transport: z.int(),
  /**
   * Index, in `plan.groups.members`, of the group of ranks that was started; for `collbench pairs`, number of the pair or ring.
   * Absent if all ranks were started. `rank` below is the number in the whole run.
   */
  group: z.int().min(0).optional(),
  /**
   * Number of the resumption or repetition of the run that started this launch, counted from 1; absent = the first start of the
   * run.
   */
  attempt: z.int().min(1).optional(),
  startedAtNs: z.int(),
  /** Time from the start of the launch's processes until all ranks were connected, ns. */
  setupNs: z.int(),
  ranks: z.array(
    z.strictObject({
      rank: z.int(),
      pid: z.int(),
      /** Number of the CPU to which the rank process is bound; null if it is not bound to a single CPU, absent = not known. */
      cpu: z.int().nullable().optional(),
      /** CPUs on which the process may run, in the kernel's list format: "0-3". Absent = not known. */
      cpus: z.string().optional(),
      /**
       * Physical cores of the CPUs in `cpus`, as a list; each core has the number of its lowest hardware thread. Absent = not
       * known.
       */
      cores: z.string().optional(),
      /**
       * Memory policy of the process as the kernel names it: "bind:0"; "" = none, absent = not known. The fields `device`,
       * `detail` and `medium` say what the rank drives and what moves its bytes.
       */
      memory: z.string().optional(),
      device: z.string(),
      detail: transportDetail,
      medium: z.string(),
      /**
       * Facts that the rank reported, as texts by name: versions of the measured library, device, environment variables that
       * collbench set for the rank; absent = none.
       */
      facts: z.record(z.string(), z.string()).optional(),
    }),
  ),
});
export type LaunchRecord = z.infer<typeof launchRecord>;

/**
 * Hardware and operating system of one host. `memoryBytes`: size of its memory. `virtualization`: name of the hypervisor; null =
 * none detected. `interfaces`: network interfaces with MTU in bytes and speed in Mbit/s, null = not known.
 */
export const inventory = z.strictObject({
  hostname: z.string(),
  os: z.string(),
  kernel: z.string(),
  architecture: z.string(),
  cpuModel: z.string(),
  /** Number of hardware threads (CPUs) that are online. */
  cpuCount: z.int(),
  /** Number of physical cores to which the hardware threads belong; absent = not known. */
  coreCount: z.int().optional(),
  numaNodes: z.int(),
  memoryBytes: z.int(),
  virtualization: z.string().nullable(),
  interfaces: z.array(
    z.strictObject({ name: z.string(), state: z.string(), mtu: z.int(), speedMbps: z.int().nullable() }),
  ),
});
export type Inventory = z.infer<typeof inventory>;

/**
 * A failure of a run, described for readers. The first sentence of `message` names the rank and the phase if they are known.
 * `rank`: number in the run. `rank`, `host` and `phase` are null if the failure belongs to none or it is not known.
 */
export const failure = z.strictObject({
  /**
   * Kind of the failure: rank-died, hang, agent-lost, setup, wrong-data, contradicted, incomplete, disk, interrupted or internal.
   */
  kind: z.string(),
  message: z.string(),
  /** Lines of text that readers see below `message`: progress of each rank, call stack, end of a log. Empty = none. */
  details: z.array(z.string()),
  rank: z.int().nullable(),
  host: z.string().nullable(),
  phase: z.string().nullable(),
  /**
   * Next command for the user: a complete command, or the options to change in the command that failed, by name (null = remove the
   * option). Null = nothing is advised.
   */
  next: z
    .union([z.string(), z.strictObject({ change: z.record(z.string(), z.string().nullable()) })])
    .nullable(),
});
export type Failure = z.infer<typeof failure>;

/** Returns a failure with the fields in `parts`; all other fields are null, `details` is empty. It is neither stored nor thrown. */
export function failureWith(parts: Partial<Failure> & Pick<Failure, 'kind' | 'message'>): Failure {
  return { details: [], rank: null, host: null, phase: null, next: null, ...parts };
}

/** One use of `collbench resume`, by which an incomplete run was continued. `at`: time at which it began. */
export const resumption = z.strictObject({
  at: z.iso.datetime(),
  /** Number of configurations that were complete when the run was resumed; their results were kept. */
  cellsBefore: z.int(),
  /**
   * Number of lines that samples/blocks.ndjson had when the run was resumed, including those of configurations that are measured
   * again.
   */
  blocksBefore: z.int(),
  collbenchVersion: z.string(),
  agentVersion: z.string(),
  /**
   * State, end time and failures of the run before it was resumed. State `running` means that its process was killed; the end is
   * then the time of the last stored block, null if there is none.
   */
  before: z.strictObject({
    state: z.enum(runStates),
    endedAt: z.iso.datetime().nullable(),
    failures: z.array(failure),
  }),
  /**
   * Differences between this start of the run and the earlier one, such as other versions, that the user accepted (`--force`).
   * One sentence each; empty = none.
   */
  differences: z.array(z.string()),
});
export type Resumption = z.infer<typeof resumption>;

/**
 * A second measurement, at the end of a run, of configurations whose first measurement was disturbed, for example by a busy CPU.
 * `cells`: the configurations that were measured again.
 */
export const retry = z.strictObject({
  /**
   * Number of this repetition; repetitions and resumptions of the run are counted together, from 1. Blocks and metrics of this
   * repetition have the same number in their field `attempt`.
   */
  attempt: z.int().min(1),
  at: z.iso.datetime(),
  cells: z.array(
    z.strictObject({
      /** Index of the configuration's axis values in plan.points. `transport`: index in plan.transports. */
      point: z.int().min(0),
      transport: z.int().min(0),
      /** Names of the flags by which the first measurement was seen to be disturbed: "cpu-busy". */
      flags: z.array(z.string()),
      /**
       * Result of the second measurement. `replaced`: it was undisturbed and replaces the first. `disturbed`: it was disturbed,
       * too, so the first is kept. `open`: it was not completed, so the first is kept.
       */
      outcome: z.enum(['replaced', 'disturbed', 'open']),
      /**
       * Times of the first and the second measurement by name of the figure ("latency"), ns per operation; null = not measured.
       * With groups of ranks, the times are those of the first group.
       */
      figures: z.record(
        z.string(),
        z.strictObject({ first: z.number().nullable(), second: z.number().nullable() }),
      ),
    }),
  ),
  /** Number of disturbed configurations that were not measured again because the time budget was too short. */
  leftOut: z.int().min(0),
});
export type Retry = z.infer<typeof retry>;

/** One wait, before measuring, until all hosts are idle (`--wait-quiet`). `at`: time at which it began; `seconds`: its duration. */
export const quietWait = z.strictObject({
  at: z.iso.datetime(),
  seconds: z.number().min(0),
  /** True if all hosts were idle at the end of the wait; false if the time limit ended it. */
  isQuiet: z.boolean(),
  /**
   * By name of host: mean number of its cores that were busy in the last 3 s of the wait; null if the host does not report its
   * system load, or the wait was too short.
   */
  busyCores: z.record(z.string(), z.number().nullable()),
});
export type QuietWait = z.infer<typeof quietWait>;

/**
 * Contents of `run.json`, which is rewritten atomically when the run starts and ends, and at some steps between. If `state` is
 * `running` but no process works on the run, the run was killed. `endedAt`, `exitCode`: null until the run ends. `inventory`: by
 * name of host. `versions`: of collbench, Node.js, libraries and drivers, by name.
 */
export const runRecord = z.strictObject({
  schemaVersion: z.literal(3),
  id: z.string(),
  title: z.string(),
  /** Texts from the user: `label` names the run, `tags` are key-value pairs such as commit, `notes` are remarks. Absent = none. */
  label: z.string().optional(),
  tags: z.record(z.string(), z.string()).optional(),
  notes: z.array(z.string()).optional(),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
  state: z.enum(runStates),
  exitCode: z.int().nullable(),
  plan: runPlan,
  inventory: z.record(z.string(), inventory),
  /**
   * Environment variables that may matter: those of the controller that are on an allow list (NCCL_*, UCX_*, FI_*, OMPI_*, ...),
   * and those in `environmentSet`.
   */
  environment: z.record(z.string(), z.string()),
  /**
   * Names of variables in `environment` that collbench set for the ranks of this run, because the command that started it asks for
   * them, such as `suite` or `bisect`. Absent = all come from the user's environment.
   */
  environmentSet: z.array(z.string()).optional(),
  versions: z.record(z.string(), z.string()),
  launches: z.array(launchRecord),
  failures: z.array(failure),
  /**
   * Log files of the run with the host from which they come; paths are relative to the run's folder. `rank` null = the file is
   * shared by the agent and all its ranks. Absent = none.
   */
  logs: z.array(z.strictObject({ host: z.string(), rank: z.int().nullable(), file: z.string() })).optional(),
  /**
   * Uses of `collbench resume` on this run, oldest first; absent = none. `startedAt` is the time of the first start, `failures` are
   * those of the last one.
   */
  resumed: z.array(resumption).optional(),
  /** Second measurements of disturbed configurations, oldest first; absent = none. */
  retries: z.array(retry).optional(),
  /** Waits for idle hosts before measuring, oldest first; absent = no wait was requested. */
  waits: z.array(quietWait).optional(),
  /** Present if the run was imported from a bundle file (`collbench import`), in which names, paths and addresses are replaced. */
  bundle: z.strictObject({ id: z.string(), importedAt: z.iso.datetime() }).optional(),
  /** The suite to which the run belongs; absent = none. */
  suite: suiteMembership.optional(),
  /**
   * Counts and sentences on the result, written when the run ends; null before that. `checks`: verified results, summed over
   * ranks. `flagged`: configurations with a flag of level `disturbs`. `sentences`: for readers.
   */
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

/** Returns how often a run was resumed or repeated: number of resumptions plus number of repetitions; 0 = neither. */
export const attemptsOf = ({ resumed = [], retries = [] }: Pick<RunRecord, 'resumed' | 'retries'>): number =>
  resumed.length + retries.length;
