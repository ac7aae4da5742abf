import { z } from 'zod';
import { dtypeNames, opNames } from './names.ts';
import { collectiveNames } from './workloads/collective/table.ts';

/**
 * Groups of equal size whose ranks have equal distance; every rank is in exactly one group. Example of 8 ranks: tensor parallel
 * groups 0-3 and 4-7 are size 4, stride 1. Data parallel groups 0 and 4, 1 and 5, ... are size 2, stride 4.
 */
export const jobGroup = z.strictObject({ size: z.int().min(2), stride: z.int().min(1) });
export type JobGroup = z.infer<typeof jobGroup>;

/** Text form "4x1" (size, stride), as in the scripts of native/workloads/replay. */
export const groupWord = ({ size, stride }: JobGroup): string => `${size}x${stride}`;

/** True if this number of ranks divides into complete groups. */
export const makesGroups = ({ size, stride }: JobGroup, ranks: number): boolean =>
  ranks % (size * stride) === 0;

/** The different groups that the job's calls use, each once. */
export const groupsOfJob = (items: readonly JobItem[]): JobGroup[] => {
  const found = items.flatMap((item) => (item.do === 'call' && item.group !== undefined ? [item.group] : []));
  return [...new Map(found.map((group) => [groupWord(group), group])).values()];
};

/**
 * One step of a job as a list of operations, in the order of one rank. Computations run on one timeline. The calls of each group
 * run on another one, one after the other. A call starts when it is issued and all earlier calls of its group are complete.
 */
export const jobItem = z.discriminatedUnion('do', [
  /** Computation for `ns` nanoseconds; then the next item follows. */
  z.strictObject({ do: z.literal('compute'), ns: z.int().min(0) }),
  /** Starts a collective; the next item follows without waiting for it. */
  z.strictObject({
    do: z.literal('call'),
    collective: z.enum(collectiveNames),
    dtype: z.enum(dtypeNames),
    /** Reduction; absent if the collective has none, or if the source does not name it. */
    op: z.enum(opNames).optional(),
    root: z.int().min(0).optional(),
    /** Payload S of the bandwidth formulas: for gathers and scatters the sum of all parts. */
    bytes: z.int().min(0),
    /** Groups that make the call, each within itself; bytes and root are those of one group. Absent: all ranks as one group. */
    group: jobGroup.optional(),
    /** Role of the call in the job: "bucket 0". */
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
  /** True if the source has the durations of computations; false if only the order of calls is known. */
  hasTimes: z.boolean(),
  /** Duration of a step as measured in the source, ns; null = not known. */
  stepNs: z.int().min(0).nullable(),
  items: z.array(jobItem),
});
export type Job = z.infer<typeof job>;
