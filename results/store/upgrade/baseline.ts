import { z } from 'zod';
import { upgradeGroupKey } from './key.ts';

const learnedV1 = z.looseObject({
  groups: z.array(
    z.looseObject({
      key: z.string(),
      holdsFor: z.looseObject({ sizes: z.array(z.number()) }).optional(),
    }),
  ),
});
const baselineV1 = z.looseObject({
  entries: z.array(
    z.looseObject({
      record: z.looseObject({ plan: z.looseObject({ algorithm: z.string().nullable().optional() }) }),
      cells: z.array(z.unknown()),
    }),
  ),
  learned: learnedV1.nullable(),
});

export function upgradeBaseline(
  raw: unknown,
  cellOf: (cell: unknown, algorithm: string | null) => unknown,
  runOf: (run: unknown) => unknown,
): unknown {
  const found = baselineV1.safeParse(raw);
  if (!found.success) return raw;
  const { entries, learned, ...rest } = found.data;
  return {
    ...rest,
    schemaVersion: 2,
    entries: entries.map(({ record, cells, ...entry }) => ({
      ...entry,
      record: runOf(record),
      cells: cells.map((cell) => cellOf(cell, record.plan.algorithm ?? null)),
    })),
    learned: learned === null ? null : { ...learned, groups: learned.groups.map(groupOf) },
  };
}

function groupOf({ key, holdsFor, ...rest }: z.infer<typeof learnedV1>['groups'][number]): unknown {
  const { sizes, ...how } = holdsFor ?? { sizes: [] };
  return {
    ...rest,
    key: upgradeGroupKey(key),
    ...(holdsFor === undefined ? {} : { holdsFor: { ...how, xs: sizes } }),
  };
}
