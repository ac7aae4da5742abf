import { z } from 'zod';
import { runPlan } from './plan.ts';
import { suiteMembership } from './suite.ts';

/** What a rank process said about itself when it was ready. */
export const launchRecord = z.strictObject({
  launch: z.int(),
  transport: z.int(),
  /** Index into plan.groups.members; absent where there are none. Ranks are those of the run. */
  group: z.int().min(0).optional(),
  /** Which going on of the run opened it, from 1; absent = the first start. */
  attempt: z.int().min(1).optional(),
  startedAtNs: z.int(),
  /** Start of processes until all ranks were connected. */
  setupNs: z.int(),
  ranks: z.array(
    z.strictObject({
      rank: z.int(),
      pid: z.int(),
      /** The core it was bound to; null where it was not bound. */
      cpu: z.int().nullable().optional(),
      /** As the kernel told: CPUs it might run on ("0-3"), what ruled over its memory ("bind:0"; "" = nothing). */
      cpus: z.string().optional(),
      /** The cores that these CPUs belong to, each by its lowest hardware thread; absent = an older agent. */
      cores: z.string().optional(),
      memory: z.string().optional(),
      device: z.string(),
      detail: z.string(),
      medium: z.string(),
      /** What the engine found worth recording: versions, device, variables set (native/engines/nccl). */
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
  /** Hardware threads that are online. */
  cpuCount: z.int(),
  /** The cores that they belong to; absent = an older agent. */
  coreCount: z.int().optional(),
  numaNodes: z.int(),
  memoryBytes: z.int(),
  virtualization: z.string().nullable(),
  interfaces: z.array(
    z.strictObject({ name: z.string(), state: z.string(), mtu: z.int(), speedMbps: z.int().nullable() }),
  ),
});
export type Inventory = z.infer<typeof inventory>;

/** What went wrong, in words; the first sentence names rank and phase. */
export const failure = z.strictObject({
  /** rank-died, hang, agent-lost, setup, wrong-data, contradicted, incomplete, disk, interrupted, internal */
  kind: z.string(),
  message: z.string(),
  /** Further lines: per-rank progress, stack, log tail. */
  details: z.array(z.string()),
  rank: z.int().nullable(),
  host: z.string().nullable(),
  phase: z.string().nullable(),
  /** The next command worth typing. */
  next: z.string().nullable(),
});
export type Failure = z.infer<typeof failure>;

/** A failure of which only kind and message are known, and what else is given. */
export function failureWith(parts: Partial<Failure> & Pick<Failure, 'kind' | 'message'>): Failure {
  return { details: [], rank: null, host: null, phase: null, next: null, ...parts };
}

const runStates = ['running', 'complete', 'failed', 'interrupted'] as const;

/** One going on of a run that had not come to its end (`collbench resume`). */
export const resumption = z.strictObject({
  at: z.iso.datetime(),
  /** Cells that were there in full and were kept. */
  cellsBefore: z.int(),
  /** Blocks in samples/blocks.ndjson, those of cells that are measured anew included. */
  blocksBefore: z.int(),
  collbenchVersion: z.string(),
  agentVersion: z.string(),
  /** How it had ended before; `running` = killed, its end is then that of its last line. */
  before: z.strictObject({
    state: z.enum(runStates),
    endedAt: z.iso.datetime().nullable(),
    failures: z.array(failure),
  }),
  /** What was not as before and was accepted (`--force`), a sentence each. */
  differences: z.array(z.string()),
});
export type Resumption = z.infer<typeof resumption>;

/** Disturbed cells that were measured again, at the end of one start of the run. */
export const retry = z.strictObject({
  /** Number of its blocks and readings. */
  attempt: z.int().min(1),
  at: z.iso.datetime(),
  cells: z.array(
    z.strictObject({
      /** Indices into plan.points and plan.transports. */
      point: z.int().min(0),
      transport: z.int().min(0),
      /** What disturbed the first measurement. */
      flags: z.array(z.string()),
      /**
       * What became of it: `replaced` by the second, which was quiet; `disturbed` = so was the second, the first stays; `open` = the
       * second was not completed, the first stays.
       */
      outcome: z.enum(['replaced', 'disturbed', 'open']),
      /** Measured figures of both, by name, ns; null = none. With groups those of the first group. */
      figures: z.record(
        z.string(),
        z.strictObject({ first: z.number().nullable(), second: z.number().nullable() }),
      ),
    }),
  ),
  /** Disturbed cells there was no time for. */
  leftOut: z.int().min(0),
});
export type Retry = z.infer<typeof retry>;

/** One wait for quiet machines. */
export const quietWait = z.strictObject({
  at: z.iso.datetime(),
  seconds: z.number().min(0),
  /** false = the limit passed first. */
  isQuiet: z.boolean(),
  /** Busy cores of each host at the end of it; null = its readings do not show it. */
  busyCores: z.record(z.string(), z.number().nullable()),
});
export type QuietWait = z.infer<typeof quietWait>;

/** `run.json`: rewritten atomically at the start and at the end. `state` running with no live writer means killed. */
export const runRecord = z.strictObject({
  schemaVersion: z.literal(3),
  id: z.string(),
  title: z.string(),
  /** Given by people: a name for the run, words to find it by, remarks. */
  label: z.string().optional(),
  tags: z.record(z.string(), z.string()).optional(),
  notes: z.array(z.string()).optional(),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
  state: z.enum(runStates),
  exitCode: z.int().nullable(),
  plan: runPlan,
  inventory: z.record(z.string(), inventory),
  /** Allow-listed variables only (NCCL_*, NVSHMEM_*, UCX_*, FI_*, OFI_*, OMPI_*, SOFTNTB_*, COLLBENCH_*). */
  environment: z.record(z.string(), z.string()),
  /** Names of those that the run itself set for its ranks (its suite did); absent = all came from where it was started. */
  environmentSet: z.array(z.string()).optional(),
  versions: z.record(z.string(), z.string()),
  launches: z.array(launchRecord),
  failures: z.array(failure),
  /** What was written on the hosts, relative to the run's folder; `rank` null = by the agent and all its ranks. */
  logs: z.array(z.strictObject({ host: z.string(), rank: z.int().nullable(), file: z.string() })).optional(),
  /** Oldest first; absent = measured in one go. `startedAt` is that of the first start, `failures` those of the last. */
  resumed: z.array(resumption).optional(),
  /** Oldest first; absent = nothing was measured again. */
  retries: z.array(retry).optional(),
  /** Oldest first; absent = none was asked for. */
  waits: z.array(quietWait).optional(),
  /** Received as a bundle (`collbench import`): names, paths and addresses in it are stand-ins. Absent = measured here. */
  bundle: z.strictObject({ id: z.string(), importedAt: z.iso.datetime() }).optional(),
  /** The suite it was measured for; absent = it stands alone. */
  suite: suiteMembership.optional(),
  /** Text of verdicts at the end: counts, evidence, comparison sentences. */
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

/** Number of the attempt that goes on now: 0 = the first start, one more with every resumption and every retry. */
export const attemptsOf = ({ resumed = [], retries = [] }: Pick<RunRecord, 'resumed' | 'retries'>): number =>
  resumed.length + retries.length;
