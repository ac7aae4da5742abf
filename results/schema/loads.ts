import { z } from 'zod';
import { timedTrialNames } from './names.ts';

/**
 * A kind of load: other work that ranks do at the same time as the measured operation (`--beside`), such as computations or
 * memory copies.
 */
export interface LoadKind {
  /** Name of the load for readers: "memory copies". */
  title: string;
  /** Unit of the load's rate in reports: Gflop/s, or GB/s. */
  unit: LoadUnit;
  /**
   * Noun for what NUMBER in `--beside KIND:NUMBER` counts on each rank: `host` if ranks use CPUs ("threads"), `gpu` if they use
   * GPUs ("SMs").
   */
  amount: { host: string; gpu: string };
}

export const loadUnits = ['Gflop/s', 'GB/s'] as const;
export type LoadUnit = (typeof loadUnits)[number];

const rows = {
  compute: { title: 'computations', unit: 'Gflop/s', amount: { host: 'threads', gpu: 'SMs' } },
  copy: { title: 'memory copies', unit: 'GB/s', amount: { host: 'threads', gpu: 'copy engines' } },
  traffic: { title: 'other traffic', unit: 'GB/s', amount: { host: 'connections', gpu: 'connections' } },
} as const satisfies Record<string, LoadKind>;

export type LoadName = keyof typeof rows;
export const loadKinds: Readonly<Record<LoadName, LoadKind>> = rows;
export const isLoadName = (name: string): name is LoadName => Object.hasOwn(rows, name);
export const loadNames: readonly LoadName[] = Object.keys(rows).filter(isLoadName);
/** Name of the engine setting that tells the ranks which load to run; ids of cells contain it, too. */
export const loadSetting = 'beside';

/**
 * Parses a load as typed in `--beside`, "compute:2". No error is thrown. @returns kind of load (`name`) and its number of workers
 * per rank, 1 to 9999 (`amount`; null = not given); null if the text is no load
 */
export function loadOf(word: string): { name: LoadName; amount: number | null } | null {
  const [, name = '', amount] = /^([a-z]+)(?::([1-9]\d{0,3}))?$/.exec(word) ?? [];
  return isLoadName(name) ? { name, amount: amount === undefined ? null : Number(amount) } : null;
}

/**
 * Times of an operation and rates of a load at the same time, which show how much the two slow each other down; only in runs with
 * `--beside`.
 */
export const cellBeside = z.strictObject({
  /** The load as typed: "compute:2". Null = the operation was measured without load, for comparison. */
  word: z.string().nullable(),
  /** Number of workers, such as threads, that ran the load, over all ranks; 0 without load. */
  workers: z.int(),
  /** Results of the isolated and of the pipelined trial, as far as they were measured: at most two. */
  trials: z.array(
    z.strictObject({
      trial: z.enum(timedTrialNames),
      /**
       * [launch] Mean time of one operation, ns; launches without a usable sample are left out. The mean and not the median,
       * because a load may slow down only a few operations.
       */
      meanNs: z.array(z.number().positive()),
      /** Rate of the load; null without load, or if the operations were too short to count the work done during them. */
      load: z
        .strictObject({
          unit: z.enum(loadUnits),
          /**
           * Rate of the load, in `unit`, on all ranks together just before each block, while no operation ran. `beside`: its rate
           * during the operations. Both are medians over launches.
           */
          alone: z.number(),
          beside: z.number(),
          /** [launch] Rate of the load during operations divided by its rate alone: 0.8 = the operations slow it down by 20 %. */
          keptShares: z.array(z.number()),
        })
        .nullable(),
    }),
  ),
});
export type CellOverlap = z.infer<typeof cellBeside>;
