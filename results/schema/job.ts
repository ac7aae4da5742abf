import { z } from 'zod';
import { dtypeNames, opNames } from './names.ts';
import { collectiveNames } from './workloads/collective/table.ts';

/**
 * Groups of equally many ranks at an equal distance, one of which each rank is in: ranks 0-3 and 4-7 of a tensor parallel job are
 * 4 and 1, ranks 0 and 4, 1 and 5, ... of its data parallel gradients 2 and 4.
 */
export const jobGroup = z.strictObject({ size: z.int().min(2), stride: z.int().min(1) });
export type JobGroup = z.infer<typeof jobGroup>;

/** "4x1": as scripts of native/workloads/replay have it. */
export const groupWord = ({ size, stride }: JobGroup): string => `${size}x${stride}`;

/** Whether so many ranks make whole groups. */
export const makesGroups = ({ size, stride }: JobGroup, ranks: number): boolean =>
  ranks % (size * stride) === 0;

/** Groups of a job, each once. */
export const groupsOfJob = (items: readonly JobItem[]): JobGroup[] => {
  const found = items.flatMap((item) => (item.do === 'call' && item.group !== undefined ? [item.group] : []));
  return [...new Map(found.map((group) => [groupWord(group), group])).values()];
};

/**
 * What one step of a job asks of the network, in the order of one rank: computations on one timeline, calls on another one of
 * their group, which runs them one after the other. A call starts once it was issued and all calls of its group before it have
 * ended.
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
    /** Who makes it, each group for itself: bytes and root are those of one. Absent: all ranks together. */
    group: jobGroup.optional(),
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
