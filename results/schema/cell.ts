import { z } from 'zod';
import { flagLevels } from './flags.ts';
import { cellBeside } from './loads.ts';
import { mediumNames } from './names.ts';
import { axes, figureUnits } from './workloads/data.ts';

/**
 * Reasons why adaptive sampling ended. `precise`: the interval reached the requested precision. `launches`: launches differ so
 * much that more samples do not help. `noise`: four times the samples made the interval hardly narrower. `budget`: the time is
 * used up, or the rest of it cannot make the interval much narrower. `samples`: the limit per launch is reached.
 */
export const stopReasons = ['precise', 'launches', 'noise', 'budget', 'samples'] as const;
export type StopReason = (typeof stopReasons)[number];

/**
 * Method by which the samples were taken: clock, synchronisation, summary over ranks, batch, warm-up. Figures with different
 * methods are not compared.
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

/** A figure computed from the samples of one trial kind. Values are in `unit`, for one unit of work. */
const measuredFigure = z.strictObject({
  kind: z.literal('measured'),
  /** Name of the figure in its workload: "latency", "pipelined". */
  name: z.string(),
  unit: z.enum(figureUnits),
  /**
   * The figure itself. With one launch it is the median of its samples; with several, the geometric mean of the launch medians.
   */
  value: z.number().positive(),
  /** 95 % interval of `value`; null if it cannot be computed, with a reason. */
  interval: z
    .strictObject({
      low: z.number(),
      high: z.number(),
      /**
       * `launches`: the interval covers the differences between launches. `this-launch`: it does not say what another launch
       * would give.
       */
      scope: z.enum(['launches', 'this-launch']),
      /** Method of the interval: derive/statistics/interval.ts (order-statistics), derive/launches/launches.ts (t, moderated-t). */
      basis: z.enum(['order-statistics', 't', 'moderated-t']).optional(),
    })
    .nullable(),
  intervalReason: z.string().nullable(),
  /** Number of samples. 0 = not known, only in imported runs; the same holds for `effectiveSamples` and `launches`. */
  samples: z.int(),
  effectiveSamples: z.number(),
  launches: z.int(),
  batch: z.int(),
  /** Reason why sampling ended; absent if the number of samples was fixed. */
  stopped: z.enum(stopReasons).optional(),
  /** Lowest sample; null = not known, only in imported runs. */
  min: z.number().nullable(),
  max: z.number().nullable(),
  p5: z.number().nullable(),
  /** p95 needs 20 samples, p99 needs 100, both batch 1 (stats.md R6); null otherwise. */
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
   * Share of isolated samples, 0 to 1, that the figure does not use because a rank started too late (more than 0.2 % of the
   * figure).
   */
  lateShare: z.number(),
  method,
});
export type MeasuredFigure = z.infer<typeof measuredFigure>;

/** A figure computed from another figure by the workload's formula, as bus bandwidth from latency. So is its interval. */
const derivedFigure = z.strictObject({
  kind: z.literal('derived'),
  name: z.string(),
  unit: z.enum(figureUnits),
  value: z.number(),
  /** Name of the figure from which this one is computed. */
  from: z.string(),
  /** Factor of the formula besides size and time, such as the bus factor of `busbw`. */
  factor: z.number().optional(),
});
export type DerivedFigure = z.infer<typeof derivedFigure>;

/**
 * A figure that is recorded beside the samples. `value` of a host's enqueue cost: slowest rank, median over samples, then median
 * over launches. `value` of a part of an operation: mean over the same operations for all parts, then mean over launches
 * (results/derive/cells/steps.ts).
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
  /** The lowest and the highest count in a single operation; absent unless the figure is a count. */
  range: z.strictObject({ low: z.number(), high: z.number() }).optional(),
});
export type SideFigure = z.infer<typeof sideFigure>;

export const figure = z.discriminatedUnion('kind', [measuredFigure, derivedFigure, sideFigure]);
export type CellFigure = z.infer<typeof figure>;

const identity = {
  schemaVersion: z.literal(3),
  /**
   * Id of the cell, unique in the run and equal in all runs that measure the same point (results/schema/workloads/identity.ts).
   */
  id: z.string(),
  /** Index into plan.points. */
  point: z.int(),
  workload: z.string(),
  axes,
  /** The x value (for example payload bytes) that the user requested. Absent if it is the measured one; sizes may be rounded. */
  requestedX: z.number().optional(),
  count: z.int().min(0).optional(),
  /** Engine settings that change what is measured, by name: algorithm, protocol, graph. */
  requested: z.record(z.string(), z.string()),
  /** Number of ranks; with groups, ranks of the group. */
  ranks: z.int(),
  nodes: z.int(),
  engine: z.string(),
  transport: z.string(),
  medium: z.enum(mediumNames),
  /** Copy of TransportPlan.detail: one line for readers, as "TCP over lo". */
  detail: z.string(),
  /**
   * The cell's values as printed by the other program, by its column names. Absent = measured by collbench. See RunPlan.imported.
   */
  printed: z.record(z.string(), z.string()).optional(),
  /** The group of ranks that measured this cell, because each group has its own cell. Absent if the run has no groups. */
  group: z
    .strictObject({
      rule: z.string(),
      index: z.int().min(0),
      name: z.string(),
      /** Ranks of the group, numbered as in the run. */
      ranks: z.array(z.int()),
    })
    .optional(),
};

export const evidence = z.strictObject({
  verdict: z.enum(['confirmed', 'contradicted', 'unproven']),
  /** One sentence with the numbers on which the verdict is based. */
  reason: z.string(),
});

/** System load of one host while a cell (one point over one transport) was measured, computed from the host's metric readings. */
const hostLoad = z.strictObject({
  host: z.string(),
  /** Share of the cell's time for which two successive metric readings of this host exist, one before and one after; 0 to 1. */
  coverage: z.number(),
  /**
   * Time of the cell as a share of all time between the metric readings around it, 0 to 1. If it is small, counters mostly
   * describe the time before and after the cell.
   */
  fill: z.number(),
  /** Number of metric readings within the cell's time. */
  ticks: z.int(),
  /** Busy share of all cores, 0 to 1; null if the host's load was not read. */
  cpuBusyShare: z.number().nullable(),
  /** Lower bound of the number of cores kept busy by other processes than ranks and collbench; null if not known. */
  competingCores: z.number().nullable(),
  /** Joules used during the cell's time by all devices that report energy or power; null if none does, or if `fill` is small. */
  energyJ: z.number().nullable(),
});
export type HostLoad = z.infer<typeof hostLoad>;

/** System load of all hosts while the cell was measured, and reasons why it makes the figures doubtful. */
const cellLoad = z.strictObject({
  hosts: z.array(hostLoad),
  /** Energy of all hosts in joules per 1e9 bytes of payload of the timed operations; null if not known. */
  joulesPerGB: z.number().nullable(),
  /** Reasons why the cell has the load flags that are listed in its `flags`, one sentence each. */
  reasons: z.array(z.strictObject({ flag: z.string(), host: z.string(), text: z.string() })),
});
export type CellLoad = z.infer<typeof cellLoad>;

/** A flag with a short stable name (flags.ts). `reason` is a sentence with the observed values; null if they are not recorded. */
const cellFlag = z.strictObject({
  name: z.string(),
  level: z.enum(flagLevels),
  reason: z.string().nullable(),
});
export type CellFlag = z.infer<typeof cellFlag>;

export const okCell = z.strictObject({
  ...identity,
  status: z.literal('ok'),
  /** Algorithm and protocol that the engine chose; "" if the engine does not report them. A result, so no part of the id. */
  choice: z.strictObject({ algorithm: z.string(), protocol: z.string().nullable() }),
  /** Number of connections between ranks by path type ("P2P/CUMEM"), summed over ranks and launches. */
  pathsSeen: z.record(z.string(), z.int()).optional(),
  /** Figures of the cell, in the order in which the workload lists them, with every derived figure that can be computed. */
  figures: z.array(figure),
  /** One entry per launch: duration of the cell's first warm-up operation in that launch on the slowest rank, nanoseconds. */
  firstCallNs: z.array(z.number()),
  /**
   * Share of this group's measuring time in which all other groups of ranks were also measuring (derive/cells/groups.ts), 0 to 1.
   * Absent if the run has no groups.
   */
  overlap: z.number().min(0).max(1).optional(),
  verification: z.strictObject({
    enabled: z.boolean(),
    checks: z.int(),
    /** Share of all operations whose results were compared, 0 to 1; null = not known. */
    share: z.number().min(0).max(1).nullable(),
    wrongElements: z.int(),
    comparedElements: z.int(),
    /**
     * Nanoseconds that the slowest rank spent on filling and comparing data, outside the timed operations; absent = not known.
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
  /** Bytes counted during the cell's blocks, warm-up included. */
  traffic: z
    .strictObject({
      /** Lowest number of bytes that the algorithm must move between ranks; null if not known. */
      mustMoveBytes: z.number().nullable(),
      /** Bytes sent by the transports of all ranks. */
      sentBytes: z.number(),
      /** Bytes received per network interface; keys are "host/interface" if there are several hosts. */
      interfaces: z.record(z.string(), z.number()),
    })
    .optional(),
  /**
   * Time spans of the cell's timed blocks, from the first start to the last end over all ranks. `operations` counts the timed
   * ones. Nanoseconds of CLOCK_MONOTONIC on rank 0's machine.
   */
  windows: z.array(z.strictObject({ fromNs: z.int(), toNs: z.int(), operations: z.int() })).optional(),
  /** Effect of the concurrent load (`--beside`) on this cell; absent in runs without loads. */
  beside: cellBeside.optional(),
  /** Number of the resumption or retry that measured the cell, counted from 1; absent = the first start of the run. */
  attempt: z.int().min(1).optional(),
  /**
   * Nanoseconds to add to each host's times to convert them to the clock of `windows` (rank 0's machine); median over the blocks.
   */
  clocks: z
    .record(z.string(), z.strictObject({ offsetNs: z.number(), uncertaintyNs: z.number() }))
    .optional(),
  /** Absent if no metrics were read during the cell. */
  load: cellLoad.optional(),
  /** Warnings and notes about the figures. */
  flags: z.array(cellFlag),
});
export const otherCell = z.strictObject({
  ...identity,
  status: z.enum(['skipped', 'failed', 'aborted']),
  reason: z.string(),
});
/** One line of `cells.ndjson`. `ok` means measured; wrong data is an ok cell whose verification says so. */
export const cellRecord = z.discriminatedUnion('status', [okCell, otherCell]);
export type OkCell = z.infer<typeof okCell>;
export type OtherCell = z.infer<typeof otherCell>;
export type CellRecord = z.infer<typeof cellRecord>;
export type Evidence = z.infer<typeof evidence>;
