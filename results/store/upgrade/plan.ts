import { z } from 'zod';
import { collective, imported, storedRow } from '../../schema/workloads/index.ts';

/** What version 1 knew of a point, in plans and in cells. */
const pointV1 = z.looseObject({
  collective: z.string(),
  dtype: z.string(),
  op: z.string().nullable(),
  root: z.number().nullable(),
  inPlace: z.boolean(),
  requestedBytes: z.number(),
  payloadBytes: z.number(),
  count: z.number(),
});
export type PointV1 = z.infer<typeof pointV1>;
export { pointV1 };

/** @param isImported another program measured it */
export function pointOf(old: PointV1, isImported: boolean) {
  const { collective: what, dtype, op, root, inPlace, requestedBytes, payloadBytes, count } = old;
  const vector = { dtype, op, root, inPlace, bytes: payloadBytes };
  return {
    workload: isImported ? imported.name : collective.name,
    axes: isImported ? { operation: what, ...vector } : { collective: what, ...vector },
    requestedX: requestedBytes,
    count,
  };
}

const skippedV1 = z.looseObject({ collective: z.string(), requestedBytes: z.number(), reason: z.string() });
const planV1 = z.looseObject({
  points: z.array(pointV1),
  skipped: z.array(skippedV1),
  transports: z.array(z.looseObject({ medium: z.string() })),
  imported: z.unknown().optional(),
});

/** @param raw the plan inside a record of version 1; returned as it is where it is none */
export function upgradePlan(raw: unknown): unknown {
  const found = planV1.safeParse(raw);
  if (!found.success) return raw;
  const { points, skipped, transports, ...rest } = found.data;
  const isImported = rest.imported !== undefined;
  return {
    ...rest,
    schemaVersion: 3,
    transports: isImported ? transports.map((one) => ({ ...one, medium: 'unknown' })) : transports,
    workloads: [storedRow(isImported ? imported : collective)],
    points: points.map((point) => pointOf(point, isImported)),
    skipped: skipped.map(({ collective: what, requestedBytes, reason }) => ({
      what,
      requestedX: requestedBytes,
      reason,
    })),
  };
}
