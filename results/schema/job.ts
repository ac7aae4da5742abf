import { z } from 'zod';
import { dtypeNames, opNames } from './names.ts';
import { collectiveNames } from './workloads/collective/table.ts';

/**
 * A division of all ranks into groups of `size` ranks each. The numbers of successive ranks of a group differ by `stride`. Example
 * with 8 ranks: tensor-parallel groups 0-3 and 4-7 have size 4, stride 1. Data-parallel groups 0 and 4, 1 and 5, ... have size 2,
 * stride 4.
 */
export const jobGroup = z.strictObject({ size: z.int().min(2), stride: z.int().min(1) });
export type JobGroup = z.infer<typeof jobGroup>;

/**
 * Returns the text for a division into groups: "4x1" for size 4 and stride 1. Ranks receive the items of a job as text, which
 * contains divisions in this form.
 */
export const groupWord = ({ size, stride }: JobGroup): string => `${size}x${stride}`;

/**
 * True if `ranks` ranks can be divided completely into groups of this size and stride: their number is a multiple of size *
 * stride.
 */
export const makesGroups = ({ size, stride }: JobGroup, ranks: number): boolean =>
  ranks % (size * stride) === 0;

/**
 * Returns the divisions of the ranks into groups that the collectives of a job use. Each occurs once, in the order of first use.
 * Collectives of all ranks add none.
 */
export const groupsOfJob = (items: readonly JobItem[]): JobGroup[] => {
  const found = items.flatMap((item) => (item.do === 'call' && item.group !== undefined ? [item.group] : []));
  return [...new Map(found.map((group) => [groupWord(group), group])).values()];
};

/**
 * An item of a job's step, as one rank carries it out: a computation, the start of a collective, or a wait. Computations run on one
 * timeline; the collectives of each group of ranks run on another one, in order. A collective starts when it is issued and all
 * earlier collectives of its group are complete.
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
    /** Payload in bytes, the "size" S of nccl-tests; for gather and scatter the sum over all ranks' parts. */
    bytes: z.int().min(0),
    /**
     * Division of the ranks into groups, each of which carries out the collective on its own. `bytes` and `root` are then those of
     * one group. Absent = all ranks together.
     */
    group: jobGroup.optional(),
    /**
     * Purpose of the collective in the recorded program, for readers: "bucket 0" for the first bucket of gradients. Absent = not
     * known.
     */
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
  /** Number of ranks of the recorded program; null = not known, or the job suits any number. */
  ranks: z.int().min(1).nullable(),
  /** True if the recording has durations of computations; false if it only has the order of collectives. */
  hasTimes: z.boolean(),
  /** Duration of one step (one pass through `items`), ns: the median of the recorded steps; null = not known. */
  stepNs: z.int().min(0).nullable(),
  items: z.array(jobItem),
});
export type Job = z.infer<typeof job>;
