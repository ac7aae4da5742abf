// Table with the fastest algorithm of engine `cpu` for each range of payload sizes, as `collbench tune` measured it on one machine.
import { z } from 'zod';

export const tuningRule = z.strictObject({
  transport: z.string(),
  collective: z.string(),
  /**
   * Lowest and highest number of ranks for which the rule is used, both included: the measured number, and one less than the next
   * measured number. A rule for the highest measured number has this number twice.
   */
  ranks: z.tuple([z.int(), z.int()]),
  /** Lowest and highest payload in bytes for which the rule holds, both included. */
  bytes: z.tuple([z.int(), z.int()]),
  /** Algorithm that was fastest in this range, with its protocol if the algorithm has several: "direct/ll". */
  algorithm: z.string(),
  /** Algorithm that collbench would use if the rule did not exist; null = the ranks did not report it. */
  instead: z.string().nullable(),
  /**
   * Lowest and highest ratio, over the measured sizes of the rule, of the time with algorithm `instead` to the time with
   * `algorithm`; above 1 the rule is faster.
   */
  gain: z.tuple([z.number(), z.number()]),
});
export type TuningRule = z.infer<typeof tuningRule>;

export const tuningTable = z.strictObject({
  schemaVersion: z.literal(1),
  /** Time at which `collbench tune` computed the table, ISO 8601. */
  at: z.string(),
  /** Name of the machine on which `collbench tune` ran. */
  host: z.string(),
  /** Version of collbench that computed the table. */
  build: z.string(),
  /** Paths of the folders of the runs whose times the table is computed from. */
  runs: z.array(z.string()),
  rules: z.array(tuningRule),
});
export type TuningTable = z.infer<typeof tuningTable>;

/**
 * Returns the rules in the text format that the ranks parse: "socket/allreduce/4-7/8-65536/direct,..." (transport, collective,
 * ranks, bytes, algorithm). "" if there are no rules.
 */
export const tuningRulesText = ({ rules }: Pick<TuningTable, 'rules'>): string =>
  rules
    .map(({ transport, collective, ranks, bytes, algorithm }) =>
      [transport, collective, ranks.join('-'), bytes.join('-'), algorithm].join('/'),
    )
    .join(',');

/**
 * Returns the engine setting `tuning` that passes the rules to the ranks, as { tuning: "..." }; an empty object if there are no
 * rules.
 */
export const tuningSettings = (table: Pick<TuningTable, 'rules'>): Record<string, string> =>
  table.rules.length === 0 ? {} : { tuning: tuningRulesText(table) };
