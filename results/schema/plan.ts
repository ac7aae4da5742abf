// The plan of a run, complete enough to measure the run again. `--plan-only --json` prints it, `run.json` stores it.
import { z } from 'zod';
import { mediumNames } from './names.ts';
import { parseSeriesName } from './series-name.ts';
import { transportDetail } from './transports/detail.ts';
import { axes, workloadData } from './workloads/data.ts';

/** One transport that the run measures, with all settings for it that were decided before measuring. */
export const transportPlan = z.strictObject({
  /**
   * Name of the series, unique within a plan. It is the name of the transport: `socket`, `sisci`, `plugin:/abs/path.so`. If the run
   * fixed more for the series (algorithm, settings, `--skew`, `--beside`), an `@` and these choices follow: `socket@ring/LL`
   * (series-name.ts). Imported series may end with " #2".
   */
  name: z.string(),
  medium: z.enum(mediumNames),
  detail: transportDetail,
  /**
   * Options for the transport from the command line, by the name that the agent expects (interface, link, ...). Empty = none were
   * given.
   */
  options: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  /**
   * Settings of the measured library for this series only (`algo`, `proto`), in addition to those of the whole plan; absent = none.
   */
  settings: z.record(z.string(), z.string()).optional(),
  /**
   * Name that NCCL's log gives to the network of this transport ("SISCI"). It shows whether NCCL used the transport. Absent =
   * NCCL's usual name for the transport; for a plugin, the name is not known.
   */
  network: z.string().optional(),
});
export type TransportPlan = z.infer<typeof transportPlan>;

/**
 * Returns the name of the transport, "socket" or "plugin:/abs/path.so", for a series whose name may also have fixed settings,
 * "socket@ring/LL".
 */
export const transportOf = ({ name }: Pick<TransportPlan, 'name'>): string => parseSeriesName(name).transport;

/**
 * Values of all axes (parameters) of one measurement, such as data type and bytes. Every transport of the plan is measured with
 * them.
 */
export const pointPlan = z.strictObject({
  /** Name of the workload: "collective". The list `workloads` of the plan describes it. */
  workload: z.string(),
  axes,
  /**
   * The x value (for example payload bytes) that the user requested; absent = the measured one. Sizes are rounded to whole elements
   * per rank.
   */
  requestedX: z.number().optional(),
  /**
   * Count argument of the NCCL call for a collective, also an imported one: elements of the whole vector, or of one rank's part.
   * Absent for other workloads.
   */
  count: z.int().min(0).optional(),
  /**
   * Description of one operation for the ranks, in the workload's own text format, such as a traffic matrix or the items of a job.
   * Absent if the axes describe the operation completely.
   */
  script: z.string().optional(),
});
export type PointPlan = z.infer<typeof pointPlan>;

/**
 * Extent of the measurement of each configuration (cell): number of samples and launches, how often results are verified, time
 * limits. `launches`: number of launches of each configuration. `seed`: number from which the random order of measuring and
 * the ranks' test data are drawn.
 */
export const samplingPlan = z.strictObject({
  launches: z.int().min(1),
  /**
   * Number of untimed operations before the samples of a block. Blocks of slow operations have fewer. With 0 there is still one if
   * the ranks need it to choose how many operations to measure.
   */
  warmup: z.int().min(0),
  /**
   * Number of isolated samples (single operations) per launch, and about as many operations back to back (`--iters`). Null = chosen
   * from the time of the operation, or by adaptive sampling (`adaptive`).
   */
  iterations: z.int().min(1).nullable(),
  /**
   * Number of operations that one pipelined sample times together. 0 = the default of the engine; where the ranks choose it, a
   * sample takes about 50 us.
   */
  batch: z.int().min(0),
  /**
   * N: the first, the last and every N-th sample of a block get new data, and their results are verified; 1 = also all warm-up
   * operations. If a GPU takes the times, N counts groups of samples instead. 0 = nothing is verified. With adaptive sampling and N
   * > 1, later blocks are not verified once verification has taken enough time.
   */
  check: z.int().min(0),
  /** Time in seconds after which the run fails as hanging if no rank makes progress. */
  timeoutS: z.number().positive(),
  seed: z.int().min(0),
  /** Highest number of seconds to wait, before measuring, until all hosts are idle (`--wait-quiet`); absent = do not wait. */
  waitQuietS: z.number().positive().optional(),
  /**
   * True if configurations whose measurement was disturbed, for example by a busy CPU, are measured again at the end of the run;
   * absent = not.
   */
  retryFlagged: z.boolean().optional(),
  /**
   * True if each launch measures several configurations before the next launch starts, so that the launches of one configuration
   * are apart in time. Absent: all launches of one configuration follow each other.
   */
  apart: z.boolean().optional(),
  /**
   * True if each transport first gets an additional, untimed launch in which the library reports its algorithm, protocol and
   * connections; absent = not.
   */
  attest: z.boolean().optional(),
  /**
   * Limits of adaptive sampling, which takes samples until times are precise enough. Absent = numbers of samples and launches are
   * fixed.
   */
  adaptive: z
    // The object is not strict, because older files of this schema version also have `slotS`, which no code uses.
    .object({
      /** Requested precision: half the width of the 95 % interval divided by the measured time, 0.01 = 1 %. */
      precision: z.number().positive(),
      /**
       * Time budget of the whole run in seconds. The first launches of all configurations may together take up to twice as long,
       * unless `isLimit` is true.
       */
      budgetS: z.number().positive(),
      /**
       * True if the user set `budgetS`, which is then a limit: configurations for whose first launch no time is left are not
       * measured.
       */
      isLimit: z.boolean().optional(),
      /**
       * Highest number of launches of a configuration. Beyond the planned `launches`, more are made as long as the time budget
       * allows it, whatever the precision.
       */
      maxLaunches: z.int().min(1),
    })
    .optional(),
});
export type SamplingPlan = z.infer<typeof samplingPlan>;

/** Origin of results that were imported from another program, and facts that are missing in the output of that program. */
export const importedPlan = z.strictObject({
  /** Name of the format of the imported file: "nccl-tests-json". */
  format: z.string(),
  /**
   * Name and version of the program that measured, and of the library it used, as far as the output of the program contains them:
   * "nccl-tests 2.19.6, NCCL 2.28.9".
   */
  program: z.string(),
  file: z.strictObject({ name: z.string(), bytes: z.int(), sha256: z.string() }),
  /** Time of the measurement as the program printed it, often local time without time zone; null if it printed none. */
  measuredAt: z.string().nullable(),
  /** Statistic that the printed times are: "mean over iterations and ranks". */
  statistic: z.string(),
  /**
   * Computations by which stored values were made from the printed ones, such as a change of unit; one sentence each. Empty =
   * none.
   */
  conversions: z.array(z.string()),
  /**
   * Facts that the program's output has outside its table of times, such as about training steps, one sentence each; absent = none.
   */
  says: z.array(z.string()).optional(),
  /** Names of facts that the program's output does not contain: samples, intervals, transport, ... Empty = none is missing. */
  unknown: z.array(z.string()),
  /** Warnings for readers of the imported figures, one sentence each; empty = none. */
  notices: z.array(z.string()),
});
export type ImportedPlan = z.infer<typeof importedPlan>;
/**
 * Division of all ranks into groups (`--groups`). Every group carries out the collective on its own, all groups at the same time.
 */
export const groupsPlan = z.strictObject({
  /** Rule by which ranks are divided, in the syntax of `--groups`: node, rail, mod:2, div:4, colors:0,0,1,1. */
  rule: z.string(),
  /**
   * The groups of ranks; every rank of the run belongs to exactly one of them. The index in this list is the number of the group
   * in blocks and cells.
   */
  members: z
    .array(
      z.strictObject({
        /** Name of the group for readers, made from the rule: "gpu01", "rail 0", "ranks mod 4 = 1", "ranks 0-3", "color 7". */
        name: z.string(),
        /**
         * Ranks of the group, at least two, numbered as in the run, ascending. The index in this list is the rank's number within
         * the group.
         */
        ranks: z.array(z.int().min(0)),
      }),
    )
    .min(1),
});
export type GroupsPlan = z.infer<typeof groupsPlan>;
export type GroupPlan = GroupsPlan['members'][number];

/**
 * Two or more ranks that `collbench pairs` measures together in a launch of their own, in which they are numbered from 0 in the
 * order of `ranks`.
 */
export const setPlan = z.strictObject({
  /**
   * `pair`: two ranks exchange messages. `ring`: a collective over the first rank of each of several hosts (on a single host,
   * over its first ranks).
   */
  kind: z.enum(['pair', 'ring']),
  ranks: z.array(z.int().min(0)).min(2),
  /**
   * Number of the round in which the set is measured. Pairs of the same round have no host in common (on a single host: no rank)
   * and may be measured at the same time; a ring is a round of its own.
   */
  round: z.int().min(0),
  /** True if this measures a pair or ring once more, because its earlier result was doubtful; absent = the first measurement. */
  isAgain: z.boolean().optional(),
});
export type SetPlan = z.infer<typeof setPlan>;

/** Plan of `collbench pairs`: the pairs and rings of ranks to measure, each in a launch of its own. */
export const pairsPlan = z.strictObject({
  /**
   * [rank] Name of each rank for readers. Several hosts: the host, followed by the rank's number on it if a host has several
   * ranks, "gpu01/1". A single host: "GPU 3" or "rank 3".
   */
  names: z.array(z.string()),
  /**
   * Pairs and rings in the order of measuring; one that is measured twice is listed twice. Empty for a search (`--bisect`), which
   * chooses each next set from earlier results.
   */
  sets: z.array(setPlan),
  /** True if all pairs of a round are measured at the same time, so that their messages share links and switches. */
  isConcurrent: z.boolean(),
  /**
   * Definition of a bad result in the search for faulty ranks (`--bisect`), as the user typed it; absent = pairs are measured
   * without search.
   */
  bisect: z.string().optional(),
  /**
   * Names of hosts that have the same network interfaces, because they are one machine, one list per machine; absent = none are
   * known.
   */
  sameMachine: z.array(z.array(z.string())).optional(),
});
export type PairsPlan = z.infer<typeof pairsPlan>;

export const runPlan = z.strictObject({
  schemaVersion: z.literal(3),
  /** The command as the user typed it, one string per word, beginning with `collbench`; not quoted for a shell. */
  command: z.array(z.string()),
  /**
   * Name of the engine: "nccl". Runs that were imported, or measured by a newer version, may have names that this version does not
   * know.
   */
  engine: z.string(),
  /** Settings of the measured library for all launches, by name: { algo: "ring", graph: "1" }. */
  settings: z.record(z.string(), z.string()).default({}),
  algorithm: z.string().nullable(),
  ranks: z.int().min(1),
  hosts: z.array(
    z.strictObject({
      name: z.string(),
      ranks: z.array(z.int().min(0)),
      /** Address for connecting to the host, `user@address:port`; absent = the name is sufficient. */
      at: z.string().optional(),
      /** Network interface that ranks on this host use; absent = the one in the transport's options, or the host's own choice. */
      iface: z.string().optional(),
      /**
       * Name of an earlier host in this list that is the same physical machine, such as another container on it. Absent = another
       * machine, or not known.
       */
      machineOf: z.string().optional(),
      /**
       * Name of an earlier host in this list whose network interfaces this host uses, too. Absent = the host has its own, or not
       * known.
       */
      networkOf: z.string().optional(),
      /**
       * CPUs and memory nodes to which each rank of the host is bound, in the kernel's list format ("0-3"; "" = not bound).
       * `rank`: number in the run; `gpu`: number of its GPU, absent = none was chosen. Absent list = the agent binds ranks by its
       * default rule.
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
   * Division of the ranks into groups that measure at the same time; absent = all ranks measure together. With groups, payloads in
   * `points` are those of one group.
   */
  groups: groupsPlan.optional(),
  /** Method by which agents are started on the hosts, such as ssh or Slurm; absent = agents are child processes on this machine. */
  launcher: z.string().optional(),
  inProcess: z.boolean(),
  /** Scheduling priority of the rank processes if it was raised; absent = the same as other processes. */
  priority: z.literal('high').optional(),
  /** Present if the rank processes left control groups (cgroups) that have a quota of CPU time; absent = they stayed in them. */
  cpuQuota: z.literal('leave').optional(),
  transports: z.array(transportPlan).min(1),
  /**
   * Descriptions of the workloads in `points` (axes, units, names), so that later versions without these workloads can read the
   * run.
   */
  workloads: z.array(workloadData).min(1),
  points: z.array(pointPlan),
  /**
   * Requested x values (for example payload bytes) that cannot be measured, with the reason. `what`: name of the operation,
   * workload or model. Reports show each as a row.
   */
  skipped: z.array(z.strictObject({ what: z.string(), requestedX: z.number(), reason: z.string() })),
  sampling: samplingPlan,
  /** Interval in us between two readings of the hosts' system load; absent = the system load is not read. */
  metricsIntervalUs: z.int().min(1000).max(10_000_000).optional(),
  /** Sources of the system load that are read, such as `tcp`; absent = all that a host has. Fewer sources are read more often. */
  metricsSources: z.array(z.string()).min(1).optional(),
  pairs: pairsPlan.optional(),
  /**
   * Size of a complete run. `cells`: number of results, one for each point, transport and group of ranks. `checks`: lowest number
   * of operations whose result is verified, summed over the ranks that verify.
   */
  expected: z.strictObject({ cells: z.int(), checks: z.int() }),
  /** Duration of the run in seconds, as estimated before measuring. Starting of processes is included. */
  estimateS: z.number().nonnegative(),
  /** Origin of imported results; absent if collbench measured the run. */
  imported: importedPlan.optional(),
});
export type RunPlan = z.infer<typeof runPlan>;

/** Returns the number of ranks in each group of the plan; without groups, one number: that of all ranks. */
export const setSizes = ({ ranks, groups }: Pick<RunPlan, 'ranks' | 'groups'>): number[] =>
  groups?.members.map((group) => group.ranks.length) ?? [ranks];

/**
 * Returns all ranks that run on the same physical machine as `host`, also those under other host names of this machine
 * (containers). They are in the order of `hosts`; empty if no host has this name.
 */
export function ranksOfMachine(hosts: RunPlan['hosts'], host: string): number[] {
  const machine = hosts.find(({ name }) => name === host)?.machineOf ?? host;
  return hosts.filter(({ name, machineOf = name }) => machineOf === machine).flatMap(({ ranks }) => ranks);
}
