import { z } from 'zod';
import { mediumNames } from './names.ts';
import { axes, workloadData } from './workloads/data.ts';

/** What was asked for, complete enough to be run again: `--plan-only --json` prints it, `run.json` keeps it. */

/** A transport as asked for: its name, and what the run decided about it before anything was measured. */
export const transportPlan = z.strictObject({
  /**
   * `socket`, `sisci`, `plugin:/abs/path.so`; unique within a plan. Behind `@` stands what this series fixes beside the
   * transport: `socket@ring/LL` (transportOf() takes it off).
   */
  name: z.string(),
  medium: z.enum(mediumNames),
  /** One line for people: "TCP over lo", "softntb, link none". */
  detail: z.string(),
  /** Given to the agent as is (native/transports/transport.h TransportOptions). */
  options: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  /** Words of the engine for this series alone (`algo`, `proto`), on top of those of the plan. */
  settings: z.record(z.string(), z.string()).optional(),
  /** What the engine's own log calls the network of this transport ("SISCI"): evidence looks for it. */
  network: z.string().optional(),
});
export type TransportPlan = z.infer<typeof transportPlan>;

/** The transport as agents know it: the name without what the series fixes beside it. */
export function transportOf({ name, settings }: Pick<TransportPlan, 'name' | 'settings'>): string {
  // A path may hold an @ of its own, so only a series that fixes something has one to take off.
  return settings === undefined ? name : name.slice(0, name.lastIndexOf('@'));
}

/** One point of the sweep, still without the transport: each cell is measured over every transport of the plan. */
export const pointPlan = z.strictObject({
  /** A row of `workloads`. */
  workload: z.string(),
  axes,
  /** What was asked for where that is not x itself: x is rounded to whole elements per rank. */
  requestedX: z.number().optional(),
  /** Of collectives NCCL's count argument: elements of the vector, or of one rank's part. */
  count: z.int().min(0).optional(),
  /** What a unit does, item by item, in the workload's own words, where axes cannot say it. */
  script: z.string().optional(),
});
export type PointPlan = z.infer<typeof pointPlan>;

/** How each cell is sampled, per launch. */
export const samplingPlan = z.strictObject({
  launches: z.int().min(1),
  /** Untimed operations before each block. */
  warmup: z.int().min(0),
  /** Samples of isolated latency per launch: `null` = chosen from the time one operation takes, or see `adaptive`. */
  iterations: z.int().min(1).nullable(),
  /** Operations inside one pipelined sample; 0 = chosen so that a sample lasts 50 us. */
  batch: z.int().min(0),
  /** 0 = off; else the data of every k-th sample is made fresh and verified (first and last always). */
  check: z.int().min(0),
  /** Seconds one block may take before it counts as a hang. */
  timeoutS: z.number().positive(),
  seed: z.int().min(0),
  /** Seconds to wait for quiet machines before measuring, at most; absent = not. */
  waitQuietS: z.number().positive().optional(),
  /** Disturbed cells are measured again at the end. */
  retryFlagged: z.boolean().optional(),
  /** Launches are measured one after the other, each over many points; absent = side by side, point by point. */
  apart: z.boolean().optional(),
  /** One more launch per transport comes first, untimed: it tells what the engine chooses (trial `attest`). */
  attest: z.boolean().optional(),
  /** Blocks go on until the figures are narrow enough; absent = so many as the plan says. */
  adaptive: z
    // Not strict: older files of this schema version also have `slotS`, which nothing uses.
    .object({
      /** Half width of the 95 % interval that is wanted, as a share of the figure: 0.01 = 1 %. */
      precision: z.number().positive(),
      /** Seconds for the whole run. Each cell gets its first launch however long that takes, unless `isLimit`. */
      budgetS: z.number().positive(),
      /** The user gave the budget, so a cell whose first launch does not fit is left out. */
      isLimit: z.boolean().optional(),
      /** Launches that may be opened, from `launches` on, where cells differ between these; numbers below `launches` come first. */
      maxLaunches: z.int().min(1),
    })
    .optional(),
});
export type SamplingPlan = z.infer<typeof samplingPlan>;

/** Where an imported run comes from, and what it does not know. */
export const importedPlan = z.strictObject({
  /** A row of results/import/formats.ts: "nccl-tests-json". */
  format: z.string(),
  /** Program and version as far as the output tells: "nccl-tests 2.19.6, NCCL 2.28.9". */
  program: z.string(),
  file: z.strictObject({ name: z.string(), bytes: z.int(), sha256: z.string() }),
  /** When it was measured, as printed (local time, no zone); null = not told. */
  measuredAt: z.string().nullable(),
  /** What a time is there, in words: "mean over iterations and ranks". */
  statistic: z.string(),
  /** What was computed from what was printed, a sentence each. */
  conversions: z.array(z.string()),
  /** What it tells beside its rows, of steps of a job; a sentence each. */
  says: z.array(z.string()).optional(),
  /** What the output does not tell: samples, intervals, transport, ... */
  unknown: z.array(z.string()),
  /** What a reader must know before using the rows; a sentence each. */
  notices: z.array(z.string()),
});
export type ImportedPlan = z.infer<typeof importedPlan>;
/** Disjoint groups of the ranks that run every collective at the same time, each for itself. */
export const groupsPlan = z.strictObject({
  /** As `--groups` takes it: node, rail, mod:2, div:4, colors:0,0,1,1. */
  rule: z.string(),
  /** By index; every rank of the run is in one of them. */
  members: z
    .array(
      z.strictObject({
        /** For rows: "gpu01", "rail 0", "ranks mod 4 = 1", "ranks 0-3", "color 7". */
        name: z.string(),
        /** Ranks of the run, ascending, at least two; the place in this list is the rank within the group. */
        ranks: z.array(z.int().min(0)),
      }),
    )
    .min(1),
});
export type GroupsPlan = z.infer<typeof groupsPlan>;
export type GroupPlan = GroupsPlan['members'][number];

/** Ranks of the plan that measure among themselves, numbered anew from 0 in this order. */
export const setPlan = z.strictObject({
  /** `pair`: two. `ring`: the first so many. */
  kind: z.enum(['pair', 'ring']),
  ranks: z.array(z.int().min(0)).min(2),
  /** Sets of one round have no rank in common. */
  round: z.int().min(0),
  /** Measured once more, because it stood out the first time. */
  isAgain: z.boolean().optional(),
});
export type SetPlan = z.infer<typeof setPlan>;

/** What makes a run one of `collbench pairs`: each set measures the points of the plan in a launch of its own. */
export const pairsPlan = z.strictObject({
  /** One per rank: the host, or "rank 3" where a host has several. */
  names: z.array(z.string()),
  /** In order of measuring, those measured again added as they are; empty for a search, whose runs follow from those before. */
  sets: z.array(setPlan),
  /** The sets of a round are measured at the same time; they then share links and switches. */
  isConcurrent: z.boolean(),
  /** What counts as bad in a search (`--bisect`), as typed; absent = no search. */
  bisect: z.string().optional(),
  /** Hosts that are one machine by several names, in groups; absent = none are known. */
  sameMachine: z.array(z.array(z.string())).optional(),
});
export type PairsPlan = z.infer<typeof pairsPlan>;

export const runPlan = z.strictObject({
  schemaVersion: z.literal(3),
  /** The command line as typed, for people; never parsed. */
  command: z.array(z.string()),
  /** A row of results/schema/engines, or one that only the build which measured has. */
  engine: z.string(),
  /** Words of the engine for all launches (native/engines/nccl/settings.h). */
  settings: z.record(z.string(), z.string()).default({}),
  algorithm: z.string().nullable(),
  ranks: z.int().min(1),
  hosts: z.array(
    z.strictObject({
      name: z.string(),
      ranks: z.array(z.int().min(0)),
      /** How it is reached where that is not the name alone: `user@address:port`. */
      at: z.string().optional(),
      /** Network interface of this host; absent = that of the transport's options, or chosen there. */
      iface: z.string().optional(),
      /** Earlier host that is the same machine (containers, other names); absent = a machine of its own, or not known. */
      machineOf: z.string().optional(),
      /** Earlier host that has the same network interfaces; absent = interfaces of its own, or not known. */
      networkOf: z.string().optional(),
      /** Where its ranks are bound, as the kernel lists CPUs and NUMA nodes ("" = not); absent = as agents do by themselves. */
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
  /** Absent = all ranks work as one. Points are those of each group: payload and count go by its ranks, not by `ranks`. */
  groups: groupsPlan.optional(),
  /** How agents are started there; absent = as child processes on this machine. */
  launcher: z.string().optional(),
  inProcess: z.boolean(),
  transports: z.array(transportPlan).min(1),
  /** Rows of the workloads that `points` name. */
  workloads: z.array(workloadData).min(1),
  points: z.array(pointPlan),
  /** Asked for, but nothing to measure there; with the reason (shown as rows, never silently absent). */
  skipped: z.array(z.strictObject({ what: z.string(), requestedX: z.number(), reason: z.string() })),
  sampling: samplingPlan,
  /** What the machines do meanwhile is read that often, microseconds; absent = not at all. */
  metricsIntervalUs: z.int().min(1000).max(10_000_000).optional(),
  pairs: pairsPlan.optional(),
  /** What must be there after the run: cells = points x transports (x groups); checks = smallest number of verified rank results. */
  expected: z.strictObject({ cells: z.int(), checks: z.int() }),
  /** Seconds the run is thought to take. */
  estimateS: z.number().nonnegative(),
  /** Another program measured it; absent = measured here. */
  imported: importedPlan.optional(),
});
export type RunPlan = z.infer<typeof runPlan>;
