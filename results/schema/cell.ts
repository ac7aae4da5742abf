import { z } from 'zod';
import { cellBeside } from './loads.ts';
import { mediumNames } from './names.ts';
import { transportDetail } from './transports/detail.ts';
import { axes, figureUnits } from './workloads/data.ts';

/** Levels of flags (remarks on a measurement). `disturbs`: its values are doubtful. `note`: they are valid. */
export const flagLevels = ['note', 'disturbs'] as const;
export type FlagLevel = (typeof flagLevels)[number];

/** Names of the flags that are only notes: the measured values stay valid. All others make them doubtful. */
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

/** True if at least one flag makes the measurement doubtful (level `disturbs`). */
export const isDisturbed = ({ flags }: { flags: readonly { level: FlagLevel }[] }): boolean =>
  flags.some(({ level }) => level === 'disturbs');

/** Returns the usual level of a flag; a name that this version does not know counts as `disturbs`. */
export const flagLevelOf = (name: string): FlagLevel => (notes.includes(name) ? 'note' : 'disturbs');

/**
 * Reasons why adaptive sampling ended. `precise`: the interval reached the requested precision. `launches`: launches differ so
 * much that more samples do not help. `noise`: four times the samples made the interval hardly narrower. `budget`: the time is
 * used up, or the rest of it cannot make the interval much narrower. `samples`: the limit per launch is reached.
 */
export const stopReasons = ['precise', 'launches', 'noise', 'budget', 'samples'] as const;
export type StopReason = (typeof stopReasons)[number];

/**
 * Method of sampling: clock, synchronisation of ranks, combination over ranks, batch, warm-up. Times that were taken in
 * different ways are not compared.
 */
const method = z.strictObject({
  clock: z.string(),
  /**
   * Method by which the ranks start together. `hold`: all operations are queued on the devices first; then all ranks release them
   * at one agreed instant. `window`: each rank starts at an agreed time. `barrier`: after a barrier. `none`: no rank waits for
   * another one before it starts.
   */
  sync: z.enum(['window', 'hold', 'none', 'barrier', 'unknown']),
  summary: z.string(),
  warmup: z.int(),
  batch: z.int(),
});

/** A time (or other value) computed from the samples of one kind of trial, in `unit`, per operation of the workload. */
const measuredFigure = z.strictObject({
  kind: z.literal('measured'),
  /** Name of the time: "latency" (isolated trials), "pipelined" (back to back). */
  name: z.string(),
  unit: z.enum(figureUnits),
  /**
   * The measured value: the median of all samples with one launch, the geometric mean of the launches' medians with several.
   */
  value: z.number().positive(),
  /** 95 % interval of `value`; null if it cannot be computed, `intervalReason` then says why. */
  interval: z
    .strictObject({
      low: z.number(),
      high: z.number(),
      /**
       * `launches`: the interval covers the differences between launches. `this-launch`: it does not say what another launch
       * would give.
       */
      scope: z.enum(['launches', 'this-launch']),
      /** Statistics of the interval: order statistics of samples, Student's t over launches, or t with a prior (moderated). */
      basis: z.enum(['order-statistics', 't', 'moderated-t']).optional(),
    })
    .nullable(),
  intervalReason: z.string().nullable(),
  /** Number of samples. 0 = not known, only in imported runs; the same holds for `effectiveSamples` and `launches`. */
  samples: z.int(),
  effectiveSamples: z.number(),
  launches: z.int(),
  batch: z.int(),
  /** Reason why adaptive sampling took no more samples; absent if the user fixed their number. */
  stopped: z.enum(stopReasons).optional(),
  /** Lowest sample; null = not known, only in imported runs. */
  min: z.number().nullable(),
  max: z.number().nullable(),
  p5: z.number().nullable(),
  /** 95th and 99th percentile; null with fewer than 20 or 100 samples, or if a sample has several operations. */
  p95: z.number().nullable(),
  p99: z.number().nullable(),
  launchValues: z.array(z.number().positive()),
  /**
   * Bounds from the scatter of samples within launches, with two launches or more. `low`, `high`: the 95 % interval if launches
   * did not differ. The reported interval is never narrower. `below`, `above`: the smallest distance, over all launches, from a
   * launch's median to its lowest and highest sample, in log time.
   */
  samplesAlone: z
    .strictObject({ low: z.number(), high: z.number(), below: z.number(), above: z.number() })
    .optional(),
  /**
   * Share of isolated samples, 0 to 1, that were not used, because a rank started too late: by more than 0.2 % of the time.
   */
  lateShare: z.number(),
  method,
});
export type MeasuredFigure = z.infer<typeof measuredFigure>;

/** A value computed from a measured one by a formula of the workload, such as bus bandwidth from latency. */
const derivedFigure = z.strictObject({
  kind: z.literal('derived'),
  name: z.string(),
  unit: z.enum(figureUnits),
  value: z.number(),
  /** Name of the measured value from which this one is computed: "latency" or "pipelined". */
  from: z.string(),
  /** Factor in the formula besides size and time, such as the bus factor of `busbw`; absent = none. */
  factor: z.number().optional(),
});
export type DerivedFigure = z.infer<typeof derivedFigure>;

/**
 * A value recorded beside the samples: the host's cost to enqueue (slowest rank, median over samples, then over launches), or the
 * time of a phase of the operation (mean over those operations that all phases use, then over launches).
 */
const sideFigure = z.strictObject({
  kind: z.literal('side'),
  name: z.string(),
  unit: z.enum(figureUnits),
  value: z.number(),
  launchValues: z.array(z.number()),
  /**
   * Times of parts of an operation: the means use `used` of the `of` sampled operations; `meanOfAll` is the mean over all of
   * them.
   */
  operations: z.strictObject({ used: z.int(), of: z.int(), meanOfAll: z.number() }).optional(),
  /** Lowest and highest count in a single operation; present only if the value is a count. */
  range: z.strictObject({ low: z.number(), high: z.number() }).optional(),
});
export type SideFigure = z.infer<typeof sideFigure>;

export const figure = z.discriminatedUnion('kind', [measuredFigure, derivedFigure, sideFigure]);
export type CellFigure = z.infer<typeof figure>;

const identity = {
  schemaVersion: z.literal(3),
  /**
   * Id of the configuration: names and values of all its parameters, so that it is equal in all runs and unique in one.
   */
  id: z.string(),
  /** Index of the axis values in plan.points. */
  point: z.int(),
  workload: z.string(),
  axes,
  /** Requested x value (message size), if the measured one differs because sizes are rounded to whole elements; else absent. */
  requestedX: z.number().optional(),
  count: z.int().min(0).optional(),
  /** Settings of the measured library that change what is measured, by name: algorithm, protocol, graph. */
  requested: z.record(z.string(), z.string()),
  /** Number of ranks that work together: all, or with groups of ranks those of this group. */
  ranks: z.int(),
  nodes: z.int(),
  engine: z.string(),
  transport: z.string(),
  medium: z.enum(mediumNames),
  detail: transportDetail,
  /**
   * For imported results only: the values as the other program printed them, by its column names.
   */
  printed: z.record(z.string(), z.string()).optional(),
  /** Group of ranks that made this measurement, if the run divides its ranks into groups; absent otherwise. */
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
  /** One sentence with the counted and the expected bytes, or what else the verdict is based on. */
  reason: z.string(),
});

/** System load of one host while one configuration was measured, from the readings of the host's metrics. */
const hostLoad = z.strictObject({
  host: z.string(),
  /** Share of the measuring time, 0 to 1, for which the load is known, because it was read before and after. */
  coverage: z.number(),
  /**
   * Measuring time divided by the time between the readings around it, 0 to 1. If it is small, counters mostly describe what
   * happened before and after the measurement.
   */
  fill: z.number(),
  /** Number of readings of the host's system load (one row of the metrics file each) within the measuring time. */
  ticks: z.int(),
  /** Busy share of all CPU cores of the host, 0 to 1; null if the load was not read. */
  cpuBusyShare: z.number().nullable(),
  /** Lower bound of the number of cores that processes other than collbench and its ranks kept busy; null if not known. */
  competingCores: z.number().nullable(),
  /**
   * Time for which quotas of control groups kept processes from running, as a share of the time of as many cores as ranks; absent
   * = no quota, or not known.
   */
  throttledShare: z.number().optional(),
  /** TCP segments of the host that were sent again, per timed operation; absent = not known. */
  retransmitsPerOperation: z.number().optional(),
  /**
   * Joules that the used devices consumed during the measuring time. Null if no device reports energy, or if more
   * than a fifth of the time between the readings is not measuring time, as their energy cannot be divided.
   */
  energyJ: z.number().nullable(),
});
export type HostLoad = z.infer<typeof hostLoad>;

/**
 * Rails of a host, which are interfaces or RDMA ports of equal speed that connect the same hosts, with the bytes that each
 * carried while one configuration was measured. Interfaces count received bytes, ports those in both directions.
 */
const hostRails = z.strictObject({
  host: z.string(),
  rails: z.array(z.strictObject({ name: z.string(), bytes: z.number() })).min(2),
});
export type HostRails = z.infer<typeof hostRails>;

/** System load of all hosts during one measurement, with the reasons for load flags such as "cpu-busy". */
const cellLoad = z.strictObject({
  hosts: z.array(hostLoad),
  /** Energy of all hosts per 1e9 bytes of payload, joules; null if not known. */
  joulesPerGB: z.number().nullable(),
  /** For each host and load flag one sentence with the observed values. */
  reasons: z.array(z.strictObject({ flag: z.string(), host: z.string(), text: z.string() })),
});
export type CellLoad = z.infer<typeof cellLoad>;

/** A warning or note about one measurement. `reason`: a sentence with the observed values; null if they are not recorded. */
const cellFlag = z.strictObject({
  name: z.string(),
  level: z.enum(flagLevels),
  reason: z.string().nullable(),
});
export type CellFlag = z.infer<typeof cellFlag>;

export const okCell = z.strictObject({
  ...identity,
  status: z.literal('ok'),
  /** Algorithm and protocol that the measured library used; "" and null if it does not report them. */
  choice: z.strictObject({ algorithm: z.string(), protocol: z.string().nullable() }),
  /** Number of connections between ranks by path type in NCCL's terms ("P2P/CUMEM"), over all ranks and launches. */
  pathsSeen: z.record(z.string(), z.int()).optional(),
  /** Measured values such as latency, then recorded ones such as enqueue cost, then computed ones such as bus bandwidth. */
  figures: z.array(figure),
  /**
   * [launch] Duration of the first warm-up operation of this configuration on the slowest rank, ns; launches without warm-up are
   * absent.
   */
  firstCallNs: z.array(z.number()),
  /**
   * Share of this group's measuring time, 0 to 1, in which all other groups of ranks were measuring. Absent if the run has no
   * groups.
   */
  overlap: z.number().min(0).max(1).optional(),
  verification: z.strictObject({
    enabled: z.boolean(),
    checks: z.int(),
    /**
     * Share of the operations, 0 to 1, whose result was compared with the expected one, on the ranks that compare; null = none
     * was.
     */
    share: z.number().min(0).max(1).nullable(),
    wrongElements: z.int(),
    comparedElements: z.int(),
    /**
     * Nanoseconds that the slowest rank spent on filling and comparing data, outside the timed operations, summed over blocks;
     * absent = not known.
     */
    checkingNs: z.int().optional(),
    first: z
      .strictObject({
        rank: z.int(),
        iteration: z.int(),
        index: z.int(),
        wanted: z.string(),
        got: z.string(),
        note: z.string(),
      })
      .nullable(),
  }),
  evidence,
  /** Bytes counted while this configuration was measured, warm-up included. */
  traffic: z
    .strictObject({
      /** Lowest number of payload bytes that the operations must move between ranks; null if not known. */
      mustMoveBytes: z.number().nullable(),
      /** Bytes that the transports of all ranks sent, by their own counters. */
      sentBytes: z.number(),
      /** Bytes received by each network interface: "eth0", or "gpu01/eth0" with several hosts. */
      interfaces: z.record(z.string(), z.number()),
    })
    .optional(),
  /** Rails of each host that has several, with their bytes; absent if no host has. */
  rails: z.array(hostRails).optional(),
  /**
   * Time spans in which this configuration was timed, one per block, ns of CLOCK_MONOTONIC on rank 0's host. `operations`: number
   * of timed operations in the span.
   */
  windows: z.array(z.strictObject({ fromNs: z.int(), toNs: z.int(), operations: z.int() })).optional(),
  /** Slowdown of the operation and of other work at the same time (`--beside`) by each other; absent without such work. */
  beside: cellBeside.optional(),
  /** Number of the resumption or repetition of the run that made this measurement, counted from 1; absent = the first start. */
  attempt: z.int().min(1).optional(),
  /**
   * For each host the ns to add to its CLOCK_MONOTONIC to get that of rank 0's host, as in `windows`; median over the blocks.
   */
  clocks: z
    .record(z.string(), z.strictObject({ offsetNs: z.number(), uncertaintyNs: z.number() }))
    .optional(),
  /** System load during the measurement; absent if it was not read. */
  load: cellLoad.optional(),
  /** Warnings and notes about this measurement. */
  flags: z.array(cellFlag),
});
export const otherCell = z.strictObject({
  ...identity,
  status: z.enum(['skipped', 'failed', 'aborted']),
  reason: z.string(),
});
/** Result of one configuration, a line of `cells.ndjson`. `ok`: it was measured; its data may still be wrong (`verification`). */
export const cellRecord = z.discriminatedUnion('status', [okCell, otherCell]);
export type OkCell = z.infer<typeof okCell>;
export type OtherCell = z.infer<typeof otherCell>;
export type CellRecord = z.infer<typeof cellRecord>;
export type Evidence = z.infer<typeof evidence>;
