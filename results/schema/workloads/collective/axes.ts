import { z } from 'zod';
import { dtypeNames, opNames } from '../../names.ts';
import { type CollectiveName, isCollective } from './table.ts';

/** Axes of a collective, by type. */
export const collectiveAxes = z.strictObject({
  collective: z.custom<CollectiveName>(isCollective, { error: 'no such collective' }),
  dtype: z.enum(dtypeNames),
  /** Null where nothing is reduced. */
  op: z.enum(opNames).nullable(),
  /** Null where the collective has no root. */
  root: z.int().min(0).nullable(),
  inPlace: z.boolean(),
  /** S of the bandwidth formulas: whole elements per rank. */
  bytes: z.int().min(0),
});
export type CollectiveAxes = z.infer<typeof collectiveAxes>;
