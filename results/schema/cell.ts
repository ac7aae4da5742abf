import { z } from 'zod';
import { flagLevels } from './flags.ts';
import { cellBeside } from './loads.ts';
import { mediumNames } from './names.ts';
import { axes, figureUnits } from './workloads/data.ts';

/**
 * Why adaptive sampling ended: `precise` (the interval was within the precision that was wanted), `launches` (launches
 * differ by more than further samples could mend), `noise` (four times the samples made the interval hardly narrower), `budget` (its
 * time was spent, or what was left of it could not make the interval much narrower), `samples` (as many as a launch may have).
 */
export const stopReasons = ['precise', 'launches', 'noise', 'budget', 'samples'] as const;
export type StopReason = (typeof stopReasons)[number];

/** Clock, synchronisation, summary over ranks, batch and warm-up in one comparable object (stats.md rule 10). */
const method = z.strictObject({
  clock: z.string(),
  /** `hold`: all was queued on the devices before the ranks released them at a common instant. */
  sync: z.enum(['window', 'hold', 'none', 'barrier', 'unknown']),
  summary: z.string(),
  warmup: z.int(),
  batch: z.int(),
});

/** A figure made of samples of one trial kind. Values in `unit`, of one unit of work. */
const measuredFigure = z.strictObject({
  kind: z.literal('measured'),
  /** A figure of the workload's row: "latency", "pipelined". */
  name: z.string(),
  unit: z.enum(figureUnits),
  /** The headline: of one launch the median over its samples, of several the geometric mean of the launch medians. */
  value: z.number().positive(),
  /** 95 % interval of the headline; null with a reason when there are too few samples. */
  interval: z
    .strictObject({
      low: z.number(),
      high: z.number(),
      /** `launches`: between launches (the real one). `this-launch`: says nothing about another start. */
      scope: z.enum(['launches', 'this-launch']),
      /** How it was computed: derive/statistics/interval.ts (order-statistics), derive/launches.ts (t, moderated-t). */
      basis: z.enum(['order-statistics', 't', 'moderated-t']).optional(),
    })
    .nullable(),
  intervalReason: z.string().nullable(),
  /** 0: not known, which happens in imported runs alone; so for the others of this kind. */
  samples: z.int(),
  effectiveSamples: z.number(),
  launches: z.int(),
  batch: z.int(),
  /** Why no more samples were taken, as it was decided while measuring; absent where their number was fixed. */
  stopped: z.enum(stopReasons).optional(),
  /** Null: not known, which happens in imported runs alone. */
  min: z.number().nullable(),
  max: z.number().nullable(),
  p5: z.number().nullable(),
  /** Only where enough samples and batch 1 (stats.md R6): p95 from 20, p99 from 100. */
  p95: z.number().nullable(),
  p99: z.number().nullable(),
  launchValues: z.array(z.number().positive()),
  /**
   * What the samples of two launches or more allow together if launches did not differ: an interval that the one between
   * launches is never narrower than, to either side; and how far at least the samples of each launch reach below and above
   * its median, log time.
   */
  samplesAlone: z
    .strictObject({ low: z.number(), high: z.number(), below: z.number(), above: z.number() })
    .optional(),
  /** Share of isolated samples in which some rank missed the common start; these are counted and not used. */
  lateShare: z.number(),
  method,
});
export type MeasuredFigure = z.infer<typeof measuredFigure>;

/** Made of another figure by the workload's row; its interval follows from that one's. */
const derivedFigure = z.strictObject({
  kind: z.literal('derived'),
  name: z.string(),
  unit: z.enum(figureUnits),
  value: z.number(),
  /** The figure it is made of. */
  from: z.string(),
  /** What was multiplied beside size and time: the bus factor of `busbw`. */
  factor: z.number().optional(),
});
export type DerivedFigure = z.infer<typeof derivedFigure>;

/**
 * Recorded beside the samples. What the host needs to enqueue one operation: per launch the median over samples of the
 * slowest rank; `value` is the median of those. Parts of an operation: means of the same samples, per launch, and the mean
 * of those (results/derive/steps.ts).
 */
const sideFigure = z.strictObject({
  kind: z.literal('side'),
  name: z.string(),
  unit: z.enum(figureUnits),
  value: z.number(),
  launchValues: z.array(z.number()),
  /** Times of parts: how many operations the means are over, of how many that were sampled, and the mean of all of them. */
  operations: z.strictObject({ used: z.int(), of: z.int(), meanOfAll: z.number() }).optional(),
  /** Counts: the fewest and the most of any operation. */
  range: z.strictObject({ low: z.number(), high: z.number() }).optional(),
});
export type SideFigure = z.infer<typeof sideFigure>;

export const figure = z.discriminatedUnion('kind', [measuredFigure, derivedFigure, sideFigure]);
export type CellFigure = z.infer<typeof figure>;

const identity = {
  schemaVersion: z.literal(3),
  /** Unique in the run and equal in every run that measures the same point (results/schema/workloads/identity.ts). */
  id: z.string(),
  /** Index into plan.points. */
  point: z.int(),
  workload: z.string(),
  axes,
  /** As of the point. */
  requestedX: z.number().optional(),
  count: z.int().min(0).optional(),
  /** What was asked of the engine and changes what is measured: algorithm, protocol, graph. */
  requested: z.record(z.string(), z.string()),
  /** Of the group, where there is one. */
  ranks: z.int(),
  nodes: z.int(),
  engine: z.string(),
  transport: z.string(),
  medium: z.enum(mediumNames),
  /** TransportPlan.detail */
  detail: z.string(),
  /**
   * Another program measured it (RunPlan.imported): what it printed of this cell, as printed, by its own column names.
   * Absent = measured here.
   */
  printed: z.record(z.string(), z.string()).optional(),
  /** Which of the groups that worked at the same time: a cell each. Absent where the run has none. */
  group: z
    .strictObject({
      rule: z.string(),
      index: z.int().min(0),
      name: z.string(),
      /** Of the run. */
      ranks: z.array(z.int()),
    })
    .optional(),
};

export const evidence = z.strictObject({
  verdict: z.enum(['confirmed', 'contradicted', 'unproven']),
  /** One sentence with the numbers it rests on. */
  reason: z.string(),
});

/** What the machine of one host did while a cell was measured (results/derive/metrics). */
const hostLoad = z.strictObject({
  host: z.string(),
  /** Share of the cell's time that lies between two readings of that host, 0 to 1. */
  coverage: z.number(),
  /**
   * Share of the cell's own time in the time between the readings next to it, 0 to 1. Where it is small, counters say
   * more about the neighbourhood of the cell than about the cell.
   */
  fill: z.number(),
  /** Readings within the cell's time. */
  ticks: z.int(),
  /** Of all cores, 0 to 1; null where it was not read. */
  cpuBusyShare: z.number().nullable(),
  /** Cores kept busy by neither ranks nor collbench, at least; null where that cannot be told. */
  competingCores: z.number().nullable(),
  /** Of all devices that tell, in the cell's time; null where none does or `fill` is small. */
  energyJ: z.number().nullable(),
});
export type HostLoad = z.infer<typeof hostLoad>;

/** All hosts, and what speaks against the figures of the cell. */
const cellLoad = z.strictObject({
  hosts: z.array(hostLoad),
  /** Energy of all hosts over the payload of the timed operations, J per 1e9 bytes. */
  joulesPerGB: z.number().nullable(),
  /** Why a flag of the machine stands in `flags`, one sentence each. */
  reasons: z.array(z.strictObject({ flag: z.string(), host: z.string(), text: z.string() })),
});
export type CellLoad = z.infer<typeof cellLoad>;

/** Short stable words (flags.ts), with what was seen where that is recorded. */
const cellFlag = z.strictObject({
  name: z.string(),
  level: z.enum(flagLevels),
  reason: z.string().nullable(),
});
export type CellFlag = z.infer<typeof cellFlag>;

export const okCell = z.strictObject({
  ...identity,
  status: z.literal('ok'),
  /** What the engine chose; "" = it did not say. A result, no part of the id. */
  choice: z.strictObject({ algorithm: z.string(), protocol: z.string().nullable() }),
  /** Connections between ranks by the way they go, summed over ranks and launches. */
  pathsSeen: z.record(z.string(), z.int()).optional(),
  /** In the order of the workload's row; of derived ones each that can be made. */
  figures: z.array(figure),
  /** Duration of the first operation of each launch of this transport at this cell. */
  firstCallNs: z.array(z.number()),
  /** Of a group: part of the time it measured in which all others measured, too (derive/groups.ts). */
  overlap: z.number().min(0).max(1).optional(),
  verification: z.strictObject({
    enabled: z.boolean(),
    checks: z.int(),
    /** Share of all operations whose results were compared, 0 to 1; null = not known. */
    share: z.number().min(0).max(1).nullable(),
    wrongElements: z.int(),
    comparedElements: z.int(),
    /** Time of the slowest rank for filling and comparing, beside the timed operations; absent = not known. */
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
  /** What was counted around its blocks, warm-up included. */
  traffic: z
    .strictObject({
      /** That the algorithm must move between ranks at least; null where that is not known. */
      mustMoveBytes: z.number().nullable(),
      /** By the transports of all ranks. */
      sentBytes: z.number(),
      /** Received, by interface; "host/interface" with several hosts. */
      interfaces: z.record(z.string(), z.number()),
    })
    .optional(),
  /**
   * When it was measured, one entry per timed block: first start to last end over all ranks, CLOCK_MONOTONIC of the
   * machine of its rank 0, ns, and the operations timed in it.
   */
  windows: z.array(z.strictObject({ fromNs: z.int(), toNs: z.int(), operations: z.int() })).optional(),
  /** What worked beside it; absent in runs without loads. */
  beside: cellBeside.optional(),
  /** As of its blocks. */
  attempt: z.int().min(1).optional(),
  /** What is added to the times of each of its hosts to get those of `windows`, median over blocks, ns. */
  clocks: z
    .record(z.string(), z.strictObject({ offsetNs: z.number(), uncertaintyNs: z.number() }))
    .optional(),
  /** Absent where nothing was read meanwhile. */
  load: cellLoad.optional(),
  /** What speaks against the figures, or should be known beside them. */
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
