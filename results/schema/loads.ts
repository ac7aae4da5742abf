import { z } from 'zod';
import { timedTrialNames } from './names.ts';

/** A kind of other work (load) that ranks can do at the same time as the measured operation (`--beside`). */
export interface LoadKind {
  /** Name of the work for readers: "memory copies". */
  title: string;
  /** Unit in which reports give its rate: Gflop/s, or GB/s. */
  unit: LoadUnit;
  /** Noun for NUMBER in `--beside KIND:NUMBER`, counted on each rank: `host` with CPUs ("threads"), `gpu` with GPUs ("SMs"). */
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
/** Name of the engine setting that tells ranks which other work to do; ids of results contain it, too. */
export const loadSetting = 'beside';

/**
 * Parses other work as typed in `--beside`, "compute:2". @returns its kind and number, 1 to 9999 (null = not given); null if
 * invalid
 */
export function loadOf(word: string): { name: LoadName; amount: number | null } | null {
  const [, name = '', amount] = /^([a-z]+)(?::([1-9]\d{0,3}))?$/.exec(word) ?? [];
  return isLoadName(name) ? { name, amount: amount === undefined ? null : Number(amount) } : null;
}

/** Slowdown of an operation and of other work at the same time by each other; only in runs with `--beside`. */
export const cellBeside = z.strictObject({
  /** The other work as typed: "compute:2". Null = measured without it, for comparison. */
  word: z.string().nullable(),
  /** Number of workers, such as threads, that did the other work, over all ranks. */
  workers: z.int(),
  /** Results for isolated and for pipelined trials, as far as measured. */
  trials: z.array(
    z.strictObject({
      trial: z.enum(timedTrialNames),
      /** [launch] Mean time of one operation, ns. Not the median, since other work may slow only a few operations. */
      meanNs: z.array(z.number().positive()),
      /** Rate of the other work; null without it, or if the operations were too short to count what it did meanwhile. */
      load: z
        .strictObject({
          unit: z.enum(loadUnits),
          /**
           * Rate of the load on all ranks together while no operation ran, just before each block. `beside` is its rate during
           * the operations. Both are medians over launches.
           */
          alone: z.number(),
          beside: z.number(),
          /** [launch] Rate during operations divided by the rate alone: 0.8 = the operations slow the other work by 20 %. */
          keptShares: z.array(z.number()),
        })
        .nullable(),
    }),
  ),
});
export type CellOverlap = z.infer<typeof cellBeside>;
