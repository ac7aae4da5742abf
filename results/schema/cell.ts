import { z } from 'zod';
import { wrongElement } from './block.ts';
import { cellBeside } from './loads.ts';
import { mediumNames } from './names.ts';
import { transportDetail } from './transports/detail.ts';
import { axes, figureUnits } from './workloads/data.ts';

/**
 * Levels of flags, which are remarks on a measurement. `disturbs`: the measured values are doubtful. `note`: the values are valid.
 */
export const flagLevels = ['note', 'disturbs'] as const;
export type FlagLevel = (typeof flagLevels)[number];

/**
 * Names of the flags that have the level `note` unless the code that sets them gives another: the measured values stay valid. All
 * other flags usually have the level `disturbs`.
 */
const notes = [
  'few-launches',
  'launches-close',
  'interrupted',
  'retransmits',
  'network-busy',
  'uneven-rails',
  'page-migrations',
  'clock-unsure',
];

/** True if at least one flag of the cell has the level `disturbs`, which makes the measurement doubtful; false without flags. */
export const isDisturbed = ({ flags }: { flags: readonly { level: FlagLevel }[] }): boolean =>
  flags.some(({ level }) => level === 'disturbs');

/**
 * Returns the level that a flag has unless the code that sets it gives another one; a name that this version does not know counts
 * as `disturbs`.
 */
export const flagLevelOf = (name: string): FlagLevel => (notes.includes(name) ? 'note' : 'disturbs');

/**
 * Reasons why adaptive sampling of a configuration ended. `precise`: the interval reached the requested precision. `launches`:
 * launches differ so much that more samples do not help. `noise`: four times as many samples made the interval hardly narrower.
 * `budget`: the time is used up, or what is left cannot make the interval much narrower. `samples`: the limit of samples per launch
 * is reached.
 */
export const stopReasons = ['precise', 'launches', 'noise', 'budget', 'samples'] as const;
export type StopReason = (typeof stopReasons)[number];

/**
 * Method by which samples were taken. `clock`: name of the clock. `summary`: formula by which the ranks' times of a sample become
 * one time. `warmup`: untimed operations before the samples of a block. `batch`: operations that a sample times together. Times
 * from different methods are compared only if the user allows it (`--allow method`).
 */
const method = z.strictObject({
  clock: z.string(),
  /**
   * Way in which the ranks start an operation together. `hold`: all operations are queued on the devices first; then all ranks
   * release them at one agreed instant. `window`: each rank starts at an agreed time. `barrier`: ranks start after a barrier.
   * `none`: no rank waits for another one before it starts. `unknown`: an imported output does not say it.
   */
  sync: z.enum(['window', 'hold', 'none', 'barrier', 'unknown']),
  summary: z.string(),
  warmup: z.int(),
  batch: z.int(),
});

/**
 * A time (or another value, in `unit`) of one operation, computed from the samples of one trial in all launches. `batch`: number
 * of operations that a sample times together, median over the blocks.
 */
const measuredFigure = z.strictObject({
  kind: z.literal('measured'),
  /** Name of the figure: "latency" (isolated trial), "pipelined" (operations back to back). */
  name: z.string(),
  unit: z.enum(figureUnits),
  /**
   * The measured value in `unit`, of one operation; of a round trip, the time of one way. With one launch, the median of all
   * samples; with several, the geometric mean of the launches' medians. An imported value is the statistic that the other program
   * printed.
   */
  value: z.number().positive(),
  /**
   * 95 % interval of `value`, in the same unit; null if it cannot be computed. `intervalReason` then says why, as text, and is
   * null otherwise.
   */
  interval: z
    .strictObject({
      low: z.number(),
      high: z.number(),
      /**
       * Differences that the interval covers. `launches`: those between launches. `this-launch`: only those between samples, so
       * that another launch may lie outside it.
       */
      scope: z.enum(['launches', 'this-launch']),
      /**
       * Statistics by which the interval was computed: order statistics of the samples (one launch), Student's t over launches,
       * or t with a prior variance from other sizes (moderated). Absent = not known.
       */
      basis: z.enum(['order-statistics', 't', 'moderated-t']).optional(),
    })
    .nullable(),
  intervalReason: z.string().nullable(),
  /**
   * Number of used samples, all launches together. `effectiveSamples`: number of independent samples that would be as precise.
   * `launches`: number of launches that have used samples. Imported results have 0 for numbers that are not known, and one
   * launch.
   */
  samples: z.int(),
  effectiveSamples: z.number(),
  launches: z.int(),
  batch: z.int(),
  /** Reason why adaptive sampling took no more samples; absent if the number of samples was fixed, or sampling was interrupted. */
  stopped: z.enum(stopReasons).optional(),
  /** Lowest and highest used sample, in `unit` per operation; null = not known, which occurs only in imported runs. */
  min: z.number().nullable(),
  max: z.number().nullable(),
  p5: z.number().nullable(),
  /**
   * 95th (`p95`) and 99th (`p99`) percentile of the samples; `p5` is the 5th. Null with fewer than 20 samples (`p5`, `p95`) or 100
   * samples (`p99`), if a sample times several operations, or if an imported output does not have it.
   */
  p95: z.number().nullable(),
  p99: z.number().nullable(),
  /**
   * Median of the samples of each launch, in `unit`, in the order of launches; launches without a usable sample are left out.
   * Imported results have one value, the printed time.
   */
  launchValues: z.array(z.number().positive()),
  /**
   * Interval from the scatter of samples within launches alone; absent with one launch. `low`, `high`: the 95 % interval in `unit`
   * if launches did not differ; the reported interval is never narrower. `below`, `above`: smallest distance, over all launches,
   * from a launch's median to its lowest and highest sample, in ln(time).
   */
  samplesAlone: z
    .strictObject({ low: z.number(), high: z.number(), below: z.number(), above: z.number() })
    .optional(),
  /**
   * Share of the isolated samples, 0 to 1, that were not used because a rank started too late: by more than 0.2 % of the sample's
   * time. 0 for pipelined trials and for times of a GPU clock.
   */
  lateShare: z.number(),
  method,
});
export type MeasuredFigure = z.infer<typeof measuredFigure>;

/**
 * A figure computed from a measured one by a formula of the workload, such as bus bandwidth from latency. `value` is in `unit`:
 * GB/s = 1e9 bytes per second.
 */
const derivedFigure = z.strictObject({
  kind: z.literal('derived'),
  name: z.string(),
  unit: z.enum(figureUnits),
  value: z.number(),
  /** Name of the measured figure from which this one is computed: "latency" or "pipelined". */
  from: z.string(),
  /** Factor in the formula other than size and time, such as the bus factor of `busbw`; absent = the formula has none. */
  factor: z.number().optional(),
});
export type DerivedFigure = z.infer<typeof derivedFigure>;

/**
 * A figure recorded in addition to the samples. `launchValues`: one value per launch that has some, in the order of launches.
 * Times of phases on rank 0: mean over the middle half of a launch's operations by their total time, then over launches. Counts
 * of events: mean over all operations. All other times, such as the host's cost to queue an operation (slowest rank): median over
 * a launch's samples, then median or geometric mean over launches.
 */
const sideFigure = z.strictObject({
  kind: z.literal('side'),
  name: z.string(),
  unit: z.enum(figureUnits),
  value: z.number(),
  launchValues: z.array(z.number()),
  /**
   * Only for recorded times of phases, all launches together; absent for other figures. `value` is computed from `used` operations
   * (the middle half of each launch, or all if the total time was not recorded) of the `of` sampled ones. `meanOfAll`: mean time of
   * the phase over all of these, in the same unit: first over a launch, then over launches.
   */
  operations: z.strictObject({ used: z.int(), of: z.int(), meanOfAll: z.number() }).optional(),
  /** Lowest and highest value in a single operation; present only if the figure is a count of events. */
  range: z.strictObject({ low: z.number(), high: z.number() }).optional(),
});
export type SideFigure = z.infer<typeof sideFigure>;

export const figure = z.discriminatedUnion('kind', [measuredFigure, derivedFigure, sideFigure]);
export type CellFigure = z.infer<typeof figure>;

const identity = {
  schemaVersion: z.literal(3),
  /**
   * Id of the configuration: names and values of all its parameters. Equal in all runs that measure it, and unique within a run.
   */
  id: z.string(),
  /** Index, in plan.points, of the axis values of the configuration. */
  point: z.int(),
  workload: z.string(),
  axes,
  /** Requested x value (message size); absent if it equals the measured one. Sizes are rounded to whole elements. */
  requestedX: z.number().optional(),
  count: z.int().min(0).optional(),
  /**
   * Settings with which the run used the measured library, as far as they change what is measured, by name: algorithm, protocol,
   * graph. What the library chose itself is in `choice`.
   */
  requested: z.record(z.string(), z.string()),
  /**
   * Number of ranks that carry out the operation together: those of `group` if there is one, otherwise all ranks of the run.
   * `nodes`: number of hosts on which they run.
   */
  ranks: z.int(),
  nodes: z.int(),
  engine: z.string(),
  transport: z.string(),
  medium: z.enum(mediumNames),
  detail: transportDetail,
  /** Values as the other program printed them, as text by its column names; absent unless the result was imported. */
  printed: z.record(z.string(), z.string()).optional(),
  /**
   * Group of ranks (`--groups`), or pair or ring (`collbench pairs`), that made this measurement; absent if all ranks measured
   * together. `rule`: rule of `--groups`, `pairs` or `search`.
   */
  group: z
    .strictObject({
      rule: z.string(),
      index: z.int().min(0),
      name: z.string(),
      /** The group's ranks, numbered as in the whole run. */
      ranks: z.array(z.int()),
    })
    .optional(),
};

export const evidence = z.strictObject({
  verdict: z.enum(['confirmed', 'contradicted', 'unproven']),
  /** One sentence with the counted and the expected bytes, or with what else the verdict is based on. */
  reason: z.string(),
});

/**
 * System load of one host over the measuring time of one configuration, all its blocks together, computed from the readings in
 * the host's metrics file.
 */
const hostLoad = z.strictObject({
  host: z.string(),
  /**
   * Share of the measuring time of this configuration, 0 to 1, for which the host's system load is known, because there are
   * readings before and after it.
   */
  coverage: z.number(),
  /**
   * Measuring time divided by the total length of those intervals between two readings that contain some of it, 0 to 1. If it is
   * small, counters mostly show what happened outside the measurement.
   */
  fill: z.number(),
  /** Number of readings of the host's system load (one line of the metrics file each) within the measuring time. */
  ticks: z.int(),
  /**
   * Share of the time of all CPU cores of the host, 0 to 1, in which they were busy, whatever the process; null if the system
   * load was not read.
   */
  cpuBusyShare: z.number().nullable(),
  /** Lower bound of the mean number of cores that processes other than collbench and its ranks kept busy; null if not known. */
  competingCores: z.number().nullable(),
  /**
   * Time in which CPU quotas of control groups (cgroups) stopped processes, divided by the measuring time and the number of the
   * host's ranks: 0.1 = each rank was stopped for 10 % of the time on average. Absent = no quota, or not known.
   */
  throttledShare: z.number().optional(),
  /** TCP segments that the host sent again, per timed operation; absent = not known. */
  retransmitsPerOperation: z.number().optional(),
  /**
   * Energy in joules that GPUs of the run and other devices of this one host used during the measuring time: the sum over those
   * that report energy or power. Null if none does, or if more than a fifth of the time between the readings is not measuring time,
   * because the energy cannot be divided.
   */
  energyJ: z.number().nullable(),
});
export type HostLoad = z.infer<typeof hostLoad>;

/**
 * Rails of a host, with the bytes that each carried while one configuration was measured. Rails are interfaces or RDMA ports of
 * equal speed that connect the same hosts. Interfaces count received bytes, ports count both directions.
 */
const hostRails = z.strictObject({
  host: z.string(),
  rails: z.array(z.strictObject({ name: z.string(), bytes: z.number() })).min(2),
});
export type HostRails = z.infer<typeof hostRails>;

/**
 * System load of all hosts while one configuration was measured, with the reasons for flags about the system load such as
 * "cpu-busy".
 */
const cellLoad = z.strictObject({
  hosts: z.array(hostLoad),
  /**
   * Energy of all hosts in joules per 1e9 bytes of payload; null if the energy of a host is not known, or if the operation has no
   * payload.
   */
  joulesPerGB: z.number().nullable(),
  /**
   * One sentence with the observed values for each host and each flag that this host's system load caused; empty if it caused
   * none.
   */
  reasons: z.array(z.strictObject({ flag: z.string(), host: z.string(), text: z.string() })),
});
export type CellLoad = z.infer<typeof cellLoad>;

/**
 * A flag (warning or note) of one measurement. `reason`: a sentence with the observed values of the first host that has them;
 * null if they are not recorded.
 */
const cellFlag = z.strictObject({
  name: z.string(),
  level: z.enum(flagLevels),
  reason: z.string().nullable(),
});
export type CellFlag = z.infer<typeof cellFlag>;

/** Result of a configuration that was measured. The data of its operations may still have been wrong (`verification`). */
export const okCell = z.strictObject({
  ...identity,
  status: z.literal('ok'),
  /**
   * Algorithm and protocol that the measured library used, as it names them, several joined by "+". `algorithm` is "" and
   * `protocol` null if the library does not report them.
   */
  choice: z.strictObject({ algorithm: z.string(), protocol: z.string().nullable() }),
  /**
   * Number of connections between ranks by path type, summed over ranks and launches; absent = not reported. Types are those of
   * NCCL ("P2P/CUMEM"), the kinds of memory access of other libraries ("P2P/NVSHMEM"), or the lanes of UCX ("UCX/tcp/eth0"), for
   * which endpoint configurations are counted.
   */
  pathsSeen: z.record(z.string(), z.int()).optional(),
  /**
   * Figures of the configuration: first measured ones such as latency, then recorded ones such as enqueue cost, then computed
   * ones such as bus bandwidth. Measured ones are missing if no sample could be used.
   */
  figures: z.array(figure),
  /**
   * [launch] Duration in ns of the configuration's first warm-up operation in each launch, on the slowest rank. Launches without
   * warm-up are left out, so an index need not be the number of the launch.
   */
  firstCallNs: z.array(z.number()),
  /**
   * Share of the measuring time of this group, pair or ring, 0 to 1, in which all others of the same round were measuring, too.
   * Absent if the run has no groups, or if the pair or ring was measured alone.
   */
  overlap: z.number().min(0).max(1).optional(),
  verification: z.strictObject({
    enabled: z.boolean(),
    checks: z.int(),
    /**
     * Share of the operations, 0 to 1, whose result was compared with the expected one. Only ranks that compare results count; null
     * = no rank did.
     */
    share: z.number().min(0).max(1).nullable(),
    /**
     * Number of elements that differ from the expected ones. `comparedElements`: number of all compared elements; imported results
     * have 0.
     */
    wrongElements: z.int(),
    comparedElements: z.int(),
    /**
     * Time in ns that the slowest rank of each block spent on filling and comparing data, outside the timed operations, summed over
     * blocks; absent = not known.
     */
    checkingNs: z.int().optional(),
    first: z.strictObject({ rank: z.int(), ...wrongElement.shape }).nullable(),
  }),
  evidence,
  /**
   * Bytes that counters of the transports (all ranks together) and of each network interface showed while this configuration was
   * measured, warm-up included; absent = not counted.
   */
  traffic: z
    .strictObject({
      /**
       * Lowest number of payload bytes that all operations of the configuration together, warm-up included, had to move between
       * ranks; null if the algorithm is not known.
       */
      mustMoveBytes: z.number().nullable(),
      /** Bytes that the ranks sent, all together, by the transports' own counters. */
      sentBytes: z.number(),
      /**
       * Bytes that each network interface received, those of other programs included, by name: "eth0", or "gpu01/eth0" with several
       * hosts. Interfaces that several host names share occur once.
       */
      interfaces: z.record(z.string(), z.number()),
    })
    .optional(),
  /**
   * Bytes that each rail carried while this configuration was measured, for each host with several rails. An
   * interface counts received bytes, an RDMA port both directions. Left out are hosts with fewer than two rails, with emulated
   * adapters, or with too few bytes to judge; absent if no host is left, and for runs on one host.
   */
  rails: z.array(hostRails).optional(),
  /**
   * Time spans in which this configuration was timed, one per block with samples: from the first start to the last end on any
   * rank, in ns of CLOCK_MONOTONIC on rank 0's host. `operations`: number of timed operations in the span. Absent = not known, as
   * for imported results.
   */
  windows: z.array(z.strictObject({ fromNs: z.int(), toNs: z.int(), operations: z.int() })).optional(),
  /**
   * Slowdown of the operation by other work at the same time (`--beside`), and of that work by the operation; absent if the run has
   * no such work.
   */
  beside: cellBeside.optional(),
  /**
   * Number of the resumption or repetition of the run in which this result was measured, counted from 1; absent = the first start.
   */
  attempt: z.int().min(1).optional(),
  /**
   * For each host, the ns to add to its CLOCK_MONOTONIC to convert it to that of rank 0's host (median over the blocks), and the
   * largest error of this offset in any block. Both are 0 for rank 0's host. Hosts whose offset is not known are left out. Absent
   * = no offset is known.
   */
  clocks: z
    .record(z.string(), z.strictObject({ offsetNs: z.number(), uncertaintyNs: z.number() }))
    .optional(),
  /** System load of all hosts during the measurement, caused by any process; absent if it was not read. */
  load: cellLoad.optional(),
  /** Warnings and notes about this measurement; empty if there are none. */
  flags: z.array(cellFlag),
});
/**
 * A configuration without result. `failed`: its launches failed, or nothing was measured. `aborted`: the run was interrupted, or
 * its time was over, before the configuration was measured. `skipped`: a pair or ring that was left out. `reason`: a sentence on
 * why the configuration has no result.
 */
export const otherCell = z.strictObject({
  ...identity,
  status: z.enum(['skipped', 'failed', 'aborted']),
  reason: z.string(),
});
/**
 * Result of one configuration, one line of `cells.ndjson`. `status` is `ok` if it was measured; its data may still have been wrong
 * (`verification`).
 */
export const cellRecord = z.discriminatedUnion('status', [okCell, otherCell]);
export type OkCell = z.infer<typeof okCell>;
export type OtherCell = z.infer<typeof otherCell>;
export type CellRecord = z.infer<typeof cellRecord>;
/** True if the configuration was measured, also if its data were wrong; false for null and undefined. */
export const isOk = (cell: CellRecord | null | undefined): cell is OkCell => cell?.status === 'ok';
export type Evidence = z.infer<typeof evidence>;
