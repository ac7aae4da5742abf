import { z } from 'zod';
import { timedTrialNames } from './names.ts';

/** A kind of concurrent load for `--beside`. The same table is in native/concurrent_load/kinds.cc. */
export interface LoadKind {
  /** Name of the load for readers, as used after "beside": "memory copies". */
  title: string;
  /** Unit of the load's rate: the ranks count units of work (flop or bytes) per nanosecond. */
  unit: LoadUnit;
  /** Noun for the number after the colon of `--beside KIND:NUMBER`, per rank: `host` on CPUs, `gpu` on GPUs. */
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
/** Name of the engine setting that passes the load to the ranks (native/agent/load.h). The name is also used in cell ids. */
export const loadSetting = 'beside';

/** Parses a load as typed, "compute:2": the kind and the optional number. Returns null if the text is no load. */
export function loadOf(word: string): { name: LoadName; amount: number | null } | null {
  const [, name = '', amount] = /^([a-z]+)(?::([1-9]\d{0,3}))?$/.exec(word) ?? [];
  return isLoadName(name) ? { name, amount: amount === undefined ? null : Number(amount) } : null;
}

/** Effect of a concurrent load and the measured operation on each other in one cell. Only in runs with loads. */
export const cellBeside = z.strictObject({
  /** The load as typed: "compute:2". Null = this cell has no load, and cells with a load are compared with it. */
  word: z.string().nullable(),
  /** Number of load threads on all ranks together. */
  workers: z.int(),
  /** Results for each kind of trial, in the order of the trials. */
  trials: z.array(
    z.strictObject({
      trial: z.enum(timedTrialNames),
      /** [launch] Mean time of an operation, ns. It is the mean, because a load can leave the median unchanged. */
      meanNs: z.array(z.number().positive()),
      /** Speed of the load. Null if the cell has no load, or if the operations were too short to count its work meanwhile. */
      load: z
        .strictObject({
          unit: z.enum(loadUnits),
          /**
           * Rate of the load on all ranks together while no operation ran, just before each block. `beside` is its rate during
           * the operations. Both are medians over launches.
           */
          alone: z.number(),
          beside: z.number(),
          /** [launch] The load's rate during operations over its rate alone: 0.8 = the operations slow the load down by 20 %. */
          keptShares: z.array(z.number()),
        })
        .nullable(),
    }),
  ),
});
export type CellOverlap = z.infer<typeof cellBeside>;
