// Table of the cpu engine's algorithm for each size, as `collbench tune` measured it on one machine.
import { z } from 'zod';

export const tuningRule = z.strictObject({
  transport: z.string(),
  collective: z.string(),
  /**
   * Lowest and highest number of ranks for which the rule is used, both included. The range extends up to the next measured rank
   * count.
   */
  ranks: z.tuple([z.int(), z.int()]),
  /** Lowest and highest payload in bytes for which the rule is used, both included. */
  bytes: z.tuple([z.int(), z.int()]),
  /** Algorithm that was fastest, with its protocol if the transport has several: "direct/ll". */
  algorithm: z.string(),
  /** Algorithm that collbench would use without this rule; null = the ranks did not report it. */
  instead: z.string().nullable(),
  /** Gain of `algorithm`: time of `instead` over time of `algorithm`. Lowest and highest value of the measured sizes. */
  gain: z.tuple([z.number(), z.number()]),
});
export type TuningRule = z.infer<typeof tuningRule>;

export const tuningTable = z.strictObject({
  schemaVersion: z.literal(1),
  /** Time at which `collbench tune` computed the table, after its last run, ISO 8601. */
  at: z.string(),
  host: z.string(),
  build: z.string(),
  /** Folders of the runs from which the table was computed. */
  runs: z.array(z.string()),
  rules: z.array(tuningRule),
});
export type TuningTable = z.infer<typeof tuningTable>;

/** Returns the rules as text for the ranks (native/engines/cpu/measured_rules.cc): "socket/allreduce/4-7/8-65536/direct,...". */
export const tuningRulesText = ({ rules }: Pick<TuningTable, 'rules'>): string =>
  rules
    .map(({ transport, collective, ranks, bytes, algorithm }) =>
      [transport, collective, ranks.join('-'), bytes.join('-'), algorithm].join('/'),
    )
    .join(',');

/** Returns engine settings with which the ranks use the table; empty if the table has no rules. */
export const tuningSettings = (table: Pick<TuningTable, 'rules'>): Record<string, string> =>
  table.rules.length === 0 ? {} : { tuning: tuningRulesText(table) };
