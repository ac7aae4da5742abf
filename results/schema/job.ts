import { z } from 'zod';
import { dtypeNames, opNames } from './names.ts';
import { collectiveNames } from './workloads/collective/table.ts';

/**
 * What one step of a job asks of the network, in the order of one rank: computations on one timeline, calls on another one, which
 * runs them one after the other. A call starts once it was issued and all calls before it have ended.
 */
export const jobItem = z.discriminatedUnion('do', [
  /** Computation until the next item is reached, ns. */
  z.strictObject({ do: z.literal('compute'), ns: z.int().min(0) }),
  /** Issues a collective and goes on. */
  z.strictObject({
    do: z.literal('call'),
    collective: z.enum(collectiveNames),
    dtype: z.enum(dtypeNames),
    /** Absent: the collective has none, or the source does not say. */
    op: z.enum(opNames).optional(),
    root: z.int().min(0).optional(),
    /** S of the bandwidth formulas: of gathers and scatters all parts together. */
    bytes: z.int().min(0),
    /** What it is to the job: "bucket 0". */
    label: z.string().optional(),
  }),
  /** Computation goes on when all calls issued so far have ended. */
  z.strictObject({ do: z.literal('wait') }),
]);
export type JobItem = z.infer<typeof jobItem>;

export const job = z.strictObject({
  type: z.literal('job'),
  schemaVersion: z.literal(1),
  /** Short, for keys: "resnet50-ddp". */
  name: z.string(),
  /** Where it comes from, for people: "torch.profiler 2.11, trace of rank 0". */
  source: z.string(),
  /** Ranks that the source had; null = not known, or any. */
  ranks: z.int().min(1).nullable(),
  /** Whether the source says how long computations take; without, only the order of calls is known. */
  hasTimes: z.boolean(),
  /** What the source itself took for a step, ns; null = it does not say. */
  stepNs: z.int().min(0).nullable(),
  items: z.array(jobItem),
});
export type Job = z.infer<typeof job>;
