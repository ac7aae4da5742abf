import { z } from 'zod';
import { mediumNames } from './names.ts';
import { parseSeriesName } from './series-name.ts';
import { axes, workloadData } from './workloads/data.ts';

/** The plan of a run, complete enough to run it again: `--plan-only --json` prints the plan, `run.json` keeps it. */

/** A requested transport with everything that the run decides about it before measuring. */
export const transportPlan = z.strictObject({
  /**
   * Name of the transport, unique within a plan: `socket`, `sisci`, `plugin:/abs/path.so`. If a series also has fixed engine
   * settings, an `@` and the settings follow: `socket@ring/LL` (series-name.ts).
   */
  name: z.string(),
  medium: z.enum(mediumNames),
  /** Description of the transport for readers, one line: "TCP over lo", "softntb, link none". */
  detail: z.string(),
  /** Options passed unchanged to the agent (native/transports/transport.h TransportOptions). */
  options: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  /** Engine settings for this transport entry only (`algo`, `proto`), in addition to those of the plan. */
  settings: z.record(z.string(), z.string()).optional(),
  /** Name of this transport's network in the engine's own log ("SISCI"). Evidence searches the log for it. */
  network: z.string().optional(),
});
export type TransportPlan = z.infer<typeof transportPlan>;

/** Returns the transport's name without the `@` suffix that names settings: agents take this name. */
export const transportOf = ({ name }: Pick<TransportPlan, 'name'>): string => parseSeriesName(name).transport;

/** Values of all axes for one measurement. Every transport of the plan measures the point, each as one cell. */
export const pointPlan = z.strictObject({
  /** Name of the workload that the point belongs to: "collective". The plan describes it in `workloads`. */
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

/** Numbers of samples and launches for each cell, how often data are verified, and time limits. */
export const samplingPlan = z.strictObject({
  launches: z.int().min(1),
  /** Untimed operations before each block. */
  warmup: z.int().min(0),
  /** Number of isolated latency samples per launch. Null = chosen from the time of one operation, or by `adaptive`. */
  iterations: z.int().min(1).nullable(),
  /** Operations inside one pipelined sample; 0 = chosen so that a sample takes 50 us. */
  batch: z.int().min(0),
  /** The buffers are filled anew and the result is verified at every N-th sample, and at the first and the last; 0 = never. */
  check: z.int().min(0),
  /** Highest number of seconds without progress of any rank in a block; longer counts as a hang. */
  timeoutS: z.number().positive(),
  seed: z.int().min(0),
  /** Highest number of seconds to wait for idle hosts before measuring; absent = measuring starts at once. */
  waitQuietS: z.number().positive().optional(),
  /** True if cells whose figures are doubtful because of a flag are measured again at the end of the run. */
  retryFlagged: z.boolean().optional(),
  /**
   * True: the launches of one point are apart in time, because each launch measures several points before the next launch
   * starts (suites/passes.ts). Absent: all launches of one point are measured before the next point.
   */
  apart: z.boolean().optional(),
  /**
   * True if each transport starts one additional launch first. It is not timed, and records what the engine chooses (trial
   * `attest`).
   */
  attest: z.boolean().optional(),
  /**
   * Limits of adaptive sampling, which adds blocks until the figures are precise. Absent = the plan fixes the number of blocks.
   */
  adaptive: z
    // The object is not strict, because older files of this schema version also have `slotS`, which no code uses.
    .object({
      /** Requested half width of the 95 % interval, as a share of the figure: 0.01 = 1 %. */
      precision: z.number().positive(),
      /** Seconds for the whole run. First launches of cells may take until twice that time, unless `isLimit` is true. */
      budgetS: z.number().positive(),
      /** True if the user set the budget. A cell whose first launch does not fit into it is then left out. */
      isLimit: z.boolean().optional(),
      /** Highest number of launches per cell. Launches beyond `launches` start only for cells whose launches differ much. */
      maxLaunches: z.int().min(1),
    })
    .optional(),
});
export type SamplingPlan = z.infer<typeof samplingPlan>;

/** Source of an imported run, and what its output does not contain. */
export const importedPlan = z.strictObject({
  /** Name of the format of the imported output, as in results/import/formats.ts: "nccl-tests-json". */
  format: z.string(),
  /** Program and version as far as the output names them: "nccl-tests 2.19.6, NCCL 2.28.9". */
  program: z.string(),
  file: z.strictObject({ name: z.string(), bytes: z.int(), sha256: z.string() }),
  /** Time of the measurement as printed (local time, no zone); null if the output does not have it. */
  measuredAt: z.string().nullable(),
  /** Meaning of the printed times: "mean over iterations and ranks". */
  statistic: z.string(),
  /** Values that the importer computed from the printed ones, one sentence each. */
  conversions: z.array(z.string()),
  /** Statements about a job's steps that the output contains outside its table, one sentence each. */
  says: z.array(z.string()).optional(),
  /** Facts that the output does not contain: samples, intervals, transport, ... */
  unknown: z.array(z.string()),
  /** Warnings for readers of the imported figures, one sentence each. */
  notices: z.array(z.string()),
});
export type ImportedPlan = z.infer<typeof importedPlan>;
/** Division of all ranks into groups. Each group runs every collective within itself, all groups at the same time. */
export const groupsPlan = z.strictObject({
  /** The rule in the syntax of `--groups`: node, rail, mod:2, div:4, colors:0,0,1,1. */
  rule: z.string(),
  /** The groups of ranks; every rank of the run belongs to exactly one. */
  members: z
    .array(
      z.strictObject({
        /** Name for readers, which depends on the rule: "gpu01", "rail 0", "ranks mod 4 = 1", "ranks 0-3", "color 7". */
        name: z.string(),
        /** Ranks of the run, ascending, at least two. The index in this list is the rank's number within the group. */
        ranks: z.array(z.int().min(0)),
      }),
    )
    .min(1),
});
export type GroupsPlan = z.infer<typeof groupsPlan>;
export type GroupPlan = GroupsPlan['members'][number];

/** Ranks of the plan that measure among themselves only. In their launch they are numbered from 0 in this order. */
export const setPlan = z.strictObject({
  /**
   * `pair`: two ranks exchange messages. `ring`: a collective over the first rank of each of several hosts (on a single host,
   * over its first ranks).
   */
  kind: z.enum(['pair', 'ring']),
  ranks: z.array(z.int().min(0)).min(2),
  /** Number of the round. Sets of the same round have no rank in common, so they can be measured at the same time. */
  round: z.int().min(0),
  /** True if the set is measured a second time, because its first result was an outlier. */
  isAgain: z.boolean().optional(),
});
export type SetPlan = z.infer<typeof setPlan>;

/** Plan of `collbench pairs`: sets of ranks are measured, each with a launch of its own, at the points of the plan. */
export const pairsPlan = z.strictObject({
  /** One name per rank: the host, or "rank 3" if a host has several ranks. */
  names: z.array(z.string()),
  /**
   * Pairs and rings in the order of measuring; one that is measured again is listed again. Empty for a search (`--bisect`), which
   * chooses the next set from earlier results.
   */
  sets: z.array(setPlan),
  /** True if the sets of a round are measured at the same time, so that they share links and switches. */
  isConcurrent: z.boolean(),
  /** Definition of a bad result in a search for faulty ranks (`--bisect`), as typed; absent = no search. */
  bisect: z.string().optional(),
  /** Lists of host names that are names of the same physical machine; absent if no such names are known. */
  sameMachine: z.array(z.array(z.string())).optional(),
});
export type PairsPlan = z.infer<typeof pairsPlan>;

export const runPlan = z.strictObject({
  schemaVersion: z.literal(3),
  /** The command line as typed, for readers; never parsed. */
  command: z.array(z.string()),
  /** Name of the engine. An engine that this build does not know is possible in runs of a newer build or of another program. */
  engine: z.string(),
  /** Engine settings for all launches (native/engines/nccl/settings.h). */
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
      places: z
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
   * Division of the ranks into groups that measure at the same time; absent = all ranks together. `bytes` and `count` of the
   * points then refer to the ranks of one group.
   */
  groups: groupsPlan.optional(),
  /** Method by which agents are started on the hosts; absent = as child processes on this machine. */
  launcher: z.string().optional(),
  inProcess: z.boolean(),
  transports: z.array(transportPlan).min(1),
  /** Descriptions of the workloads that `points` use, so that a reader does not need this build's table. */
  workloads: z.array(workloadData).min(1),
  points: z.array(pointPlan),
  /**
   * Requested x values (for example payload bytes) for which there is nothing to measure, with the reason. Reports show them as
   * rows.
   */
  skipped: z.array(z.strictObject({ what: z.string(), requestedX: z.number(), reason: z.string() })),
  sampling: samplingPlan,
  /** Microseconds between two readings of system metrics; absent = metrics are not read. */
  metricsIntervalUs: z.int().min(1000).max(10_000_000).optional(),
  pairs: pairsPlan.optional(),
  /**
   * Content of a complete run. `cells`: points x transports (x groups). `checks`: lowest number of verified results, each rank
   * counted.
   */
  expected: z.strictObject({ cells: z.int(), checks: z.int() }),
  /** Estimated duration of the run in seconds. */
  estimateS: z.number().nonnegative(),
  /** Source of an imported run; absent if collbench measured the run. */
  imported: importedPlan.optional(),
});
export type RunPlan = z.infer<typeof runPlan>;
