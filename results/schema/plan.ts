import { z } from 'zod';
import { mediumNames } from './names.ts';
import { parseSeriesName } from './series-name.ts';
import { transportDetail } from './transports/detail.ts';
import { axes, workloadData } from './workloads/data.ts';

/** The plan of a run, complete enough to run it again: `--plan-only --json` prints the plan, `run.json` keeps it. */

/** One transport that the run measures, with all settings that were decided before measuring. */
export const transportPlan = z.strictObject({
  /**
   * Name of the transport, unique within a plan: `socket`, `sisci`, `plugin:/abs/path.so`. If a series also has fixed engine
   * settings, an `@` and the settings follow: `socket@ring/LL` (series-name.ts).
   */
  name: z.string(),
  medium: z.enum(mediumNames),
  detail: transportDetail,
  /** Options that the transport gets from the command line, by name (interface, link model, ...); the agent interprets them. */
  options: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  /** Settings of the measured library for this series only (`algo`, `proto`), in addition to those of the whole plan. */
  settings: z.record(z.string(), z.string()).optional(),
  /** Name of this transport's network in NCCL's log ("SISCI"), by which it is checked that NCCL used it. */
  network: z.string().optional(),
});
export type TransportPlan = z.infer<typeof transportPlan>;

/** Returns the transport's name, "socket", from that of a series with fixed settings, "socket@ring/LL". */
export const transportOf = ({ name }: Pick<TransportPlan, 'name'>): string => parseSeriesName(name).transport;

/** Values of all parameters of one measurement, such as data type and bytes. It is measured over every transport of the plan. */
export const pointPlan = z.strictObject({
  /** Name of the workload (kind of measurement): "collective". `workloads` of the plan describes it. */
  workload: z.string(),
  axes,
  /**
   * The x value (for example payload bytes) that the user requested; absent if it is the measured one. Sizes are rounded to whole
   * elements per rank.
   */
  requestedX: z.number().optional(),
  /** NCCL's count argument of a collective: elements of the whole vector, or of one rank's part. Absent for other workloads. */
  count: z.int().min(0).optional(),
  /**
   * The messages of one unit of work (for example of one collective or halo exchange) in the workload's own text format. Absent
   * if the axes describe the work completely.
   */
  script: z.string().optional(),
});
export type PointPlan = z.infer<typeof pointPlan>;

/** Extent of the measurement for each configuration: samples, launches, how often results are verified, time limits. */
export const samplingPlan = z.strictObject({
  launches: z.int().min(1),
  /** Number of untimed operations before the samples of each block (one configuration in one launch). */
  warmup: z.int().min(0),
  /** Number of isolated samples (single operations) per launch. Null = chosen by the operation's time, or by `adaptive`. */
  iterations: z.int().min(1).nullable(),
  /** Number of operations that one pipelined sample times together; 0 = so many that a sample takes 50 us. */
  batch: z.int().min(0),
  /** Every N-th sample, the first and the last get newly filled buffers, and their results are verified; 0 = no sample. */
  check: z.int().min(0),
  /** Seconds without progress of any rank after which the run fails as hanging. */
  timeoutS: z.number().positive(),
  seed: z.int().min(0),
  /** Highest number of seconds to wait for idle hosts before measuring (`--wait-quiet`); absent = do not wait. */
  waitQuietS: z.number().positive().optional(),
  /** True if configurations with a flag for a disturbance, such as a busy CPU, are measured again at the end of the run. */
  retryFlagged: z.boolean().optional(),
  /**
   * True: each launch measures several configurations before the next one starts, so that the launches of a configuration are
   * apart in time. Absent: all launches of one configuration follow each other.
   */
  apart: z.boolean().optional(),
  /**
   * True if each transport first gets an additional launch that is not timed, in which the library reports which algorithm,
   * protocol and connections it uses.
   */
  attest: z.boolean().optional(),
  /**
   * Limits of adaptive sampling, which measures until times are precise. Absent = fixed numbers of samples and launches.
   */
  adaptive: z
    // The object is not strict, because older files of this schema version also have `slotS`, which no code uses.
    .object({
      /** Requested half width of the 95 % interval divided by the measured time: 0.01 = 1 %. */
      precision: z.number().positive(),
      /** Time for the whole run in seconds. The first launches may take up to twice as long, unless `isLimit` is true. */
      budgetS: z.number().positive(),
      /** True if the user set `budgetS`. Configurations for whose first launch there is no time left are then left out. */
      isLimit: z.boolean().optional(),
      /** Highest number of launches. More than `launches` are only made for configurations whose launches differ much. */
      maxLaunches: z.int().min(1),
    })
    .optional(),
});
export type SamplingPlan = z.infer<typeof samplingPlan>;

/** Origin of imported results, and facts that the output of the other program does not contain. */
export const importedPlan = z.strictObject({
  /** Name of the imported format: "nccl-tests-json". */
  format: z.string(),
  /** Program and version as far as the output names them: "nccl-tests 2.19.6, NCCL 2.28.9". */
  program: z.string(),
  file: z.strictObject({ name: z.string(), bytes: z.int(), sha256: z.string() }),
  /** Time of the measurement as printed (local time, no zone); null if the output does not have it. */
  measuredAt: z.string().nullable(),
  /** Meaning of the printed times: "mean over iterations and ranks". */
  statistic: z.string(),
  /** Computations of values from the printed ones, such as a change of unit; one sentence each. */
  conversions: z.array(z.string()),
  /** Facts about training steps that the output states outside its table, one sentence each. */
  says: z.array(z.string()).optional(),
  /** Names of facts that the output does not contain: samples, intervals, transport, ... */
  unknown: z.array(z.string()),
  /** Warnings for readers of the imported figures, one sentence each. */
  notices: z.array(z.string()),
});
export type ImportedPlan = z.infer<typeof importedPlan>;
/** Division of all ranks into groups (`--groups`). Every group runs the collective on its own, all at the same time. */
export const groupsPlan = z.strictObject({
  /** The rule in the syntax of `--groups`: node, rail, mod:2, div:4, colors:0,0,1,1. */
  rule: z.string(),
  /** The groups of ranks; every rank of the run belongs to exactly one of them. */
  members: z
    .array(
      z.strictObject({
        /** Name of the group for readers, by the rule: "gpu01", "rail 0", "ranks mod 4 = 1", "ranks 0-3", "color 7". */
        name: z.string(),
        /** Ranks of the run, ascending, at least two. The index in this list is the rank's number within the group. */
        ranks: z.array(z.int().min(0)),
      }),
    )
    .min(1),
});
export type GroupsPlan = z.infer<typeof groupsPlan>;
export type GroupPlan = GroupsPlan['members'][number];

/** Two or more ranks that `collbench pairs` measures together in a launch of their own, numbered from 0 in this order. */
export const setPlan = z.strictObject({
  /**
   * `pair`: two ranks exchange messages. `ring`: a collective over the first rank of each of several hosts (on a single host,
   * over its first ranks).
   */
  kind: z.enum(['pair', 'ring']),
  ranks: z.array(z.int().min(0)).min(2),
  /** Pairs and rings with the same number have no rank in common and may be measured at the same time. */
  round: z.int().min(0),
  /** True if the pair is measured a second time, because its first result was unusually slow. */
  isAgain: z.boolean().optional(),
});
export type SetPlan = z.infer<typeof setPlan>;

/** Plan of `collbench pairs`: which pairs and rings of ranks are measured, each in a launch of its own. */
export const pairsPlan = z.strictObject({
  /** One name per rank: the host, or "rank 3" if a host has several ranks. */
  names: z.array(z.string()),
  /**
   * Pairs and rings in the order of measuring; one that is measured again is listed again. Empty for a search (`--bisect`), which
   * chooses the next set from earlier results.
   */
  sets: z.array(setPlan),
  /** True if pairs without a common rank are measured at the same time, so that they share links and switches. */
  isConcurrent: z.boolean(),
  /** Definition of a bad result in a search for faulty ranks (`--bisect`), as the user typed it; absent = no search. */
  bisect: z.string().optional(),
  /** Lists of host names that are names of the same physical machine; absent if no such names are known. */
  sameMachine: z.array(z.array(z.string())).optional(),
});
export type PairsPlan = z.infer<typeof pairsPlan>;

export const runPlan = z.strictObject({
  schemaVersion: z.literal(3),
  /** The command as the user typed it, for readers only. */
  command: z.array(z.string()),
  /** Name of the engine (measured library): "nccl". Runs of newer versions or other programs may have unknown names. */
  engine: z.string(),
  /** Settings of the measured library for all launches, by name: { algo: "ring", graph: "1" }. */
  settings: z.record(z.string(), z.string()).default({}),
  algorithm: z.string().nullable(),
  ranks: z.int().min(1),
  hosts: z.array(
    z.strictObject({
      name: z.string(),
      ranks: z.array(z.int().min(0)),
      /** Address for connecting if the name alone is not enough: `user@address:port`. */
      at: z.string().optional(),
      /** Network interface of this host; absent = the one in the transport's options, or the host's own choice. */
      iface: z.string().optional(),
      /**
       * Name of a host earlier in this list that is the same physical machine (container, second name). Absent = another machine,
       * or not known.
       */
      machineOf: z.string().optional(),
      /**
       * Name of a host earlier in this list that uses the same network interfaces. Absent = the host has its own, or not known.
       */
      networkOf: z.string().optional(),
      /**
       * CPUs and memory nodes to which its ranks are bound, as kernel lists ("" = not bound); absent = the agent's default
       * binding.
       */
      placements: z
        .array(
          z.strictObject({
            rank: z.int().min(0),
            cpus: z.string(),
            memoryNodes: z.string(),
            gpu: z.int().min(0).optional(),
          }),
        )
        .optional(),
    }),
  ),
  /**
   * Division of the ranks into groups that measure at the same time; absent = all ranks together. Payloads of `points` are then
   * those of one group.
   */
  groups: groupsPlan.optional(),
  /** Method by which agents are started on the hosts, such as ssh; absent = as child processes on this machine. */
  launcher: z.string().optional(),
  inProcess: z.boolean(),
  /** Scheduling priority of the ranks if it was raised; absent = that of other processes. */
  priority: z.literal('high').optional(),
  /** Present if the ranks left control groups with a quota of processor time; absent = they stayed in them. */
  cpuQuota: z.literal('leave').optional(),
  transports: z.array(transportPlan).min(1),
  /** Descriptions of the used workloads (axes, units, names), so that later versions can read the run without knowing them. */
  workloads: z.array(workloadData).min(1),
  points: z.array(pointPlan),
  /**
   * Requested x values (for example payload bytes) for which there is nothing to measure, with the reason. Reports show them as
   * rows.
   */
  skipped: z.array(z.strictObject({ what: z.string(), requestedX: z.number(), reason: z.string() })),
  sampling: samplingPlan,
  /** Interval in us between two readings of the hosts' system load; absent = it is not read. */
  metricsIntervalUs: z.int().min(1000).max(10_000_000).optional(),
  /** Sources of the system load that are read, such as `tcp`; absent = all that a host has. Fewer sources are read more often. */
  metricsSources: z.array(z.string()).min(1).optional(),
  pairs: pairsPlan.optional(),
  /**
   * Contents of a complete run. `cells`: results, one for each point, transport and group of ranks. `checks`: lowest number of
   * verified results, counted on each rank.
   */
  expected: z.strictObject({ cells: z.int(), checks: z.int() }),
  /** Estimated duration of the run in seconds. */
  estimateS: z.number().nonnegative(),
  /** Origin of imported results; absent if collbench measured the run. */
  imported: importedPlan.optional(),
});
export type RunPlan = z.infer<typeof runPlan>;

/** Number of ranks in each set of ranks that measures separately: the groups of the plan, or all ranks as one set. */
export const setSizes = ({ ranks, groups }: Pick<RunPlan, 'ranks' | 'groups'>): number[] =>
  groups?.members.map((group) => group.ranks.length) ?? [ranks];

/** Returns the ranks that run on the same physical machine as `host`, which may have several host names (containers). */
export function ranksOfMachine(hosts: RunPlan['hosts'], host: string): number[] {
  const machine = hosts.find(({ name }) => name === host)?.machineOf ?? host;
  return hosts.filter(({ name, machineOf = name }) => machineOf === machine).flatMap(({ ranks }) => ranks);
}
