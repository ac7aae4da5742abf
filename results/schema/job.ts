import { z } from 'zod';
import { dtypeNames, opNames } from './names.ts';
import { collectiveNames } from './workloads/collective/table.ts';

/**
 * A division of all ranks into groups of `size` ranks each; neighbours within a group differ by `stride`. Example with 8 ranks:
 * tensor-parallel groups 0-3 and 4-7 have size 4, stride 1. Data-parallel groups 0 and 4, 1 and 5, ... have size 2, stride 4.
 */
export const jobGroup = z.strictObject({ size: z.int().min(2), stride: z.int().min(1) });
export type JobGroup = z.infer<typeof jobGroup>;

/** Returns size and stride of a division into groups as text, "4x1", as the scripts for the ranks contain it. */
export const groupWord = ({ size, stride }: JobGroup): string => `${size}x${stride}`;

/** True if this number of ranks divides into groups of this size and stride without a remainder. */
export const makesGroups = ({ size, stride }: JobGroup, ranks: number): boolean =>
  ranks % (size * stride) === 0;

/** Returns each division of the ranks into groups that the job's collectives use, once; none for those of all ranks. */
export const groupsOfJob = (items: readonly JobItem[]): JobGroup[] => {
  const found = items.flatMap((item) => (item.do === 'call' && item.group !== undefined ? [item.group] : []));
  return [...new Map(found.map((group) => [groupWord(group), group])).values()];
};

/**
 * One operation of a job's step, as one rank issues it. Computations run on one timeline; the calls of each group run on another
 * one, in order. A call starts when it is issued and all earlier calls of its group are complete.
 */
export const jobItem = z.discriminatedUnion('do', [
  /** A computation of `ns` nanoseconds; the next item starts when it ends. */
  z.strictObject({ do: z.literal('compute'), ns: z.int().min(0) }),
  /** Start of a collective; the next item follows immediately, without waiting for the end of the collective. */
  z.strictObject({
    do: z.literal('call'),
    collective: z.enum(collectiveNames),
    dtype: z.enum(dtypeNames),
    /** Reduction operator; absent if the collective has none, or if the recording does not name it. */
    op: z.enum(opNames).optional(),
    root: z.int().min(0).optional(),
    /** Payload in bytes, the size S of nccl-tests: for gather and scatter the sum of all parts. */
    bytes: z.int().min(0),
    /**
     * The groups of ranks that make the call, each within itself. `bytes` and `root` are those of one group. Absent = all ranks
     * together.
     */
    group: jobGroup.optional(),
    /** Purpose of the collective: "bucket 0" for the first bucket of gradients. */
    label: z.string().optional(),
  }),
  /** Wait until all collectives started so far have ended. */
  z.strictObject({ do: z.literal('wait') }),
]);
export type JobItem = z.infer<typeof jobItem>;

export const job = z.strictObject({
  type: z.literal('job'),
  schemaVersion: z.literal(1),
  /** Short name of the job (recorded training step) for ids and titles: "resnet50-ddp". */
  name: z.string(),
  /** Tool with which the job was recorded, for readers: "torch.profiler 2.11, trace of rank 0". */
  source: z.string(),
  /** Number of ranks of the recording; null = not known, or any number. */
  ranks: z.int().min(1).nullable(),
  /** True if the recording has durations of computations; false if it only has the order of collectives. */
  hasTimes: z.boolean(),
  /** Recorded duration of one step, ns; null = not known. */
  stepNs: z.int().min(0).nullable(),
  items: z.array(jobItem),
});
export type Job = z.infer<typeof job>;
