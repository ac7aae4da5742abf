import { z } from 'zod';
import { timedTrialNames } from './names.ts';

/** What can work beside a workload while it is measured: `--beside`. Twin of native/beside/kinds.cc. */
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

/** Of a cell: what all ranks' loads did by themselves just before each block, and beside the timed samples. */
export const cellBeside = z.strictObject({
  /** As asked for: "compute:2". */
  word: z.string(),
  /** Threads, of all ranks. */
  workers: z.int(),
  unit: z.enum(loadUnits),
  /** In the order of the trials. */
  trials: z.array(
    z.strictObject({
      trial: z.enum(timedTrialNames),
      /** Rates of all ranks together; medians over launches. */
      alone: z.number(),
      timed: z.number(),
      /** `timed` over `alone`, of each launch: the share of its speed that the load kept. */
      keptShares: z.array(z.number()),
    }),
  ),
});
export type CellBeside = z.infer<typeof cellBeside>;
