import { z } from 'zod';
import { timedTrialNames } from './names.ts';

/** What can work beside a workload while it is measured: `--beside`. Twin of native/concurrent_load/kinds.cc. */
export interface LoadKind {
  /** For people, after "beside". */
  title: string;
  /** Units of work per nanosecond, as a rate. */
  unit: LoadUnit;
  /** What the number behind the colon counts, for each rank: on CPUs, and on GPUs. */
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
/** Word of an engine's settings that holds a load (native/agent/load.h), and its name in ids. */
export const loadSetting = 'beside';

/** "compute:2": the kind, and how much of it where that was said. Null: no load. */
export function loadOf(word: string): { name: LoadName; amount: number | null } | null {
  const [, name = '', amount] = /^([a-z]+)(?::([1-9]\d{0,3}))?$/.exec(word) ?? [];
  return isLoadName(name) ? { name, amount: amount === undefined ? null : Number(amount) } : null;
}

/** Of a cell, in runs that have loads: what the operation and the load cost each other. */
export const cellBeside = z.strictObject({
  /** As asked for: "compute:2"; null = nothing worked beside it, others are compared with this cell. */
  word: z.string().nullable(),
  /** Threads of the load, of all ranks. */
  workers: z.int(),
  /** In the order of the trials. */
  trials: z.array(
    z.strictObject({
      trial: z.enum(timedTrialNames),
      /** Mean time of an operation, of each launch: what a load takes is in its mean, the median may not feel it. */
      meanNs: z.array(z.number().positive()),
      /** Null: no load, or the operations were too short to count what it did beside them. */
      load: z
        .strictObject({
          unit: z.enum(loadUnits),
          /** Rates of all ranks together, by itself just before each block and beside the operations; medians over launches. */
          alone: z.number(),
          beside: z.number(),
          /** `beside` over `alone`, of each launch: the share of its speed that the load kept. */
          keptShares: z.array(z.number()),
        })
        .nullable(),
    }),
  ),
});
export type CellOverlap = z.infer<typeof cellBeside>;
