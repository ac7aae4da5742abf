import { z } from 'zod';
import { timedTrialNames } from './plan.ts';
import { suiteMembership } from './suite.ts';

/** All sizes of one series in one regime, of one run: what a night is made of. No braces within, see history/extract.ts. */
export const historyFigure = z.strictObject({
  /** Series and regime (derive/cell-group.ts); the first key of the object. */
  group: z.string(),
  trial: z.enum(timedTrialNames),
  /** Equal where sizes and method are: only then figures may be held against each other. */
  like: z.string(),
  sizes: z.int().min(1),
  /** Mean over sizes of the log of the headline, ns. */
  logNs: z.number(),
  /** By launch: mean over sizes of log launch medians. Empty in imported runs. */
  launches: z.array(z.number()),
  /** Of any of its cells, sorted; absent = none. */
  flags: z.array(z.string()).optional(),
});
export type HistoryFigure = z.infer<typeof historyFigure>;

/** A line of `runs.ndjson` beside the run folders. It says nothing that these do not say; of one run the last line counts. */
export const historyLine = z.strictObject({
  schemaVersion: z.literal(1),
  /** The run's folder, relative to that of the index. */
  folder: z.string(),
  id: z.string(),
  /** When it was measured: start of the run; of an imported one what it told of that. */
  at: z.iso.datetime(),
  state: z.enum(['complete', 'failed', 'interrupted', 'running']),
  hosts: z.array(z.string()),
  /** Another program measured it. */
  imported: z.boolean().optional(),
  suite: suiteMembership.optional(),
  cells: z.object({ expected: z.int(), measured: z.int(), wrong: z.int(), contradicted: z.int() }),
  /** Equal where the groups of `figures` are: lists of them need be read once. */
  set: z.string(),
  figures: z.array(historyFigure),
});
export type HistoryLine = z.infer<typeof historyLine>;
