import { z } from 'zod';
import { dtypeNames, opNames } from '../../names.ts';
import { type CollectiveName, isCollective } from './table.ts';

/** Axis values of a collective, with a schema that checks them. */
export const collectiveAxes = z.strictObject({
  collective: z.custom<CollectiveName>(isCollective, { error: 'no such collective' }),
  dtype: z.enum(dtypeNames),
  /** Reduction; null if the collective does not reduce. */
  op: z.enum(opNames).nullable(),
  /** Root rank; null if the collective has none. */
  root: z.int().min(0).nullable(),
  inPlace: z.boolean(),
  /** Payload S of the bandwidth formulas in bytes: whole elements per rank. */
  bytes: z.int().min(0),
});
export type CollectiveAxes = z.infer<typeof collectiveAxes>;
