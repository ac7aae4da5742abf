import { z } from 'zod';
import { timedTrialNames } from './names.ts';

/** A kind of concurrent load for `--beside`. The same table is in native/concurrent_load/kinds.cc. */
export interface LoadKind {
  /** Text for readers, after "beside". */
  title: string;
  /** Unit of the load's rate: one unit of work per nanosecond. */
  unit: LoadUnit;
  /** Noun for the number after the colon, per rank: on CPUs (`host`) and on GPUs. */
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
/** Name of the engine setting that holds a load (native/agent/load.h), also used in ids. */
export const loadSetting = 'beside';

/** Parses "compute:2": the kind and the optional amount. Null if the text is no load. */
export function loadOf(word: string): { name: LoadName; amount: number | null } | null {
  const [, name = '', amount] = /^([a-z]+)(?::([1-9]\d{0,3}))?$/.exec(word) ?? [];
  return isLoadName(name) ? { name, amount: amount === undefined ? null : Number(amount) } : null;
}

/** Effect of operation and load on each other in one cell; only in runs with loads. */
export const cellBeside = z.strictObject({
  /** The load as requested: "compute:2". Null = the cell without load with which the others are compared. */
  word: z.string().nullable(),
  /** Number of load threads on all ranks together. */
  workers: z.int(),
  /** Results by trial kind, in the order of the trials. */
  trials: z.array(
    z.strictObject({
      trial: z.enum(timedTrialNames),
      /** Mean time of an operation for each launch, ns. The mean, because a load can leave the median unchanged. */
      meanNs: z.array(z.number().positive()),
      /** Null if the cell has no load, or if the operations were too short to count the load's work during them. */
      load: z
        .strictObject({
          unit: z.enum(loadUnits),
          /**
           * Rate of all ranks together, alone just before each block. `beside` is the rate during the operations. Medians over
           * launches.
           */
          alone: z.number(),
          beside: z.number(),
          /** `beside` over `alone` for each launch: the share of its speed that the load kept. */
          keptShares: z.array(z.number()),
        })
        .nullable(),
    }),
  ),
});
export type CellOverlap = z.infer<typeof cellBeside>;
