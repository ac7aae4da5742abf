import { z } from 'zod';
import { dtypeNames, opNames } from '../../names.ts';
import { type CollectiveName, isCollective } from './table.ts';

/** Schema of the parameters of one collective: its name, data type, reduction operator, root rank, in-place, payload in bytes. */
export const collectiveAxes = z.strictObject({
  collective: z.custom<CollectiveName>(isCollective, { error: 'no such collective' }),
  dtype: z.enum(dtypeNames),
  /** Reduction operator; null if the collective does not reduce. */
  op: z.enum(opNames).nullable(),
  /** Root rank; null if the collective has none. */
  root: z.int().min(0).nullable(),
  inPlace: z.boolean(),
  /** Payload in bytes, the size S of nccl-tests; rounded so that each rank has whole elements. */
  bytes: z.int().min(0),
});
export type CollectiveAxes = z.infer<typeof collectiveAxes>;
