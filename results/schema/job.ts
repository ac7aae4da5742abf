import { z } from 'zod';
import { dtypeNames, opNames } from './names.ts';
import { collectiveNames } from './workloads/collective/table.ts';

/**
 * A division of all ranks into groups of `size` ranks each; neighbours within a group differ by `stride`. Example with 8 ranks:
 * tensor-parallel groups 0-3 and 4-7 have size 4, stride 1. Data-parallel groups 0 and 4, 1 and 5, ... have size 2, stride 4.
 */
export const jobGroup = z.strictObject({ size: z.int().min(2), stride: z.int().min(1) });
export type JobGroup = z.infer<typeof jobGroup>;

/** Returns the text form "4x1" (size, stride), as in the scripts of native/workloads/replay. */
export const groupWord = ({ size, stride }: JobGroup): string => `${size}x${stride}`;

/** True if this number of ranks divides into groups of this size and stride without a remainder. */
export const makesGroups = ({ size, stride }: JobGroup, ranks: number): boolean =>
  ranks % (size * stride) === 0;

/** Returns the different divisions into groups that the job's calls use, each once. Calls of all ranks have none. */
export const groupsOfJob = (items: readonly JobItem[]): JobGroup[] => {
  const found = items.flatMap((item) => (item.do === 'call' && item.group !== undefined ? [item.group] : []));
  return [...new Map(found.map((group) => [groupWord(group), group])).values()];
};

/**
 * One operation of a job's step, as one rank issues it. Computations run on one timeline; the calls of each group run on another
 * one, in order. A call starts when it is issued and all earlier calls of its group are complete.
 */
export const jobItem = z.discriminatedUnion('do', [
  /** Computes for `ns` nanoseconds; only then the next item starts. */
  z.strictObject({ do: z.literal('compute'), ns: z.int().min(0) }),
  /** Starts a collective without waiting for its end: the next item follows at once. */
  z.strictObject({
    do: z.literal('call'),
    collective: z.enum(collectiveNames),
    dtype: z.enum(dtypeNames),
    /** Reduction; absent if the collective has none, or if the source does not name it. */
    op: z.enum(opNames).optional(),
    root: z.int().min(0).optional(),
    /** Payload S of the bandwidth formulas: for gathers and scatters the sum of all parts. */
    bytes: z.int().min(0),
    /**
     * The groups of ranks that make the call, each within itself. `bytes` and `root` are those of one group. Absent = all ranks
     * together.
     */
    group: jobGroup.optional(),
    /** Purpose of the call in the job: "bucket 0" for the first gradient bucket. */
    label: z.string().optional(),
  }),
  /** Waits until all calls issued so far are complete. */
  z.strictObject({ do: z.literal('wait') }),
]);
export type JobItem = z.infer<typeof jobItem>;

export const job = z.strictObject({
  type: z.literal('job'),
  schemaVersion: z.literal(1),
  /** Short name, used in keys: "resnet50-ddp". */
  name: z.string(),
  /** Source of the job, for readers: "torch.profiler 2.11, trace of rank 0". */
  source: z.string(),
  /** Number of ranks in the source; null = not known, or any number. */
  ranks: z.int().min(1).nullable(),
  /** True if the source recorded how long computations take; false if it only recorded the order of calls. */
  hasTimes: z.boolean(),
  /** Duration of a step as measured in the source, ns; null = not known. */
  stepNs: z.int().min(0).nullable(),
  items: z.array(jobItem),
});
export type Job = z.infer<typeof job>;
