// Which algorithm of the cpu engine takes which size, as `collbench tune` measured it on one machine.
import { z } from 'zod';

export const tuningRule = z.strictObject({
  transport: z.string(),
  collective: z.string(),
  /** Both included; up to the next number of ranks that was measured. */
  ranks: z.tuple([z.int(), z.int()]),
  /** Payload, both included. */
  bytes: z.tuple([z.int(), z.int()]),
  /** With its protocol where the transport has several: "direct/ll". */
  algorithm: z.string(),
  /** What collbench takes without the table; null = ranks did not say. */
  instead: z.string().nullable(),
  /** Its time over that of the algorithm: the least and the largest of the measured sizes. */
  gain: z.tuple([z.number(), z.number()]),
});
export type TuningRule = z.infer<typeof tuningRule>;

export const tuningTable = z.strictObject({
  schemaVersion: z.literal(1),
  /** ISO time of the last run. */
  at: z.string(),
  host: z.string(),
  build: z.string(),
  /** Folders of the runs that it was learned from. */
  runs: z.array(z.string()),
  rules: z.array(tuningRule),
});
export type TuningTable = z.infer<typeof tuningTable>;

/** As ranks read it (native/engines/cpu/measured_rules.cc): "socket/allreduce/4-7/8-65536/direct,...". */
export const tuningRulesText = ({ rules }: Pick<TuningTable, 'rules'>): string =>
  rules
    .map(({ transport, collective, ranks, bytes, algorithm }) =>
      [transport, collective, ranks.join('-'), bytes.join('-'), algorithm].join('/'),
    )
    .join(',');

/** What a table sets for ranks; nothing where it has no rule. */
export const tuningSettings = (table: Pick<TuningTable, 'rules'>): Record<string, string> =>
  table.rules.length === 0 ? {} : { tuning: tuningRulesText(table) };
