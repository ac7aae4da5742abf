import { z } from 'zod';
import { upgradeGroupKey, upgradeKey } from './key.ts';

const gateV1 = z.looseObject({
  groups: z.array(z.looseObject({ key: z.string(), sizes: z.array(z.number()) })),
  cells: z.array(z.looseObject({ id: z.string(), group: z.string(), payloadBytes: z.number() })),
  failures: z.array(z.looseObject({ cell: z.string().nullable() })),
});
const suiteV1 = z.looseObject({
  entries: z.array(z.looseObject({ collective: z.string() })),
  gate: gateV1.nullable(),
});

/** Ids of the cells lack nodes and medium here: nobody looks them up, they are read by people. */
export function upgradeSuite(raw: unknown): unknown {
  const found = suiteV1.safeParse(raw);
  if (!found.success) return raw;
  const { entries, gate, ...rest } = found.data;
  return {
    ...rest,
    schemaVersion: 2,
    entries: entries.map(({ collective: command, ...entry }) => ({ ...entry, command })),
    gate: gate === null ? null : gateOf(gate),
  };
}

function gateOf({ groups, cells, failures, ...rest }: z.infer<typeof gateV1>): unknown {
  return {
    ...rest,
    schemaVersion: 2,
    groups: groups.map(({ key, sizes, ...group }) => ({ ...group, key: upgradeGroupKey(key), xs: sizes })),
    cells: cells.map(({ id, group, payloadBytes, ...cell }) => ({
      ...cell,
      id: upgradeKey(id, true),
      group: upgradeGroupKey(group),
      x: payloadBytes,
    })),
    failures: failures.map(({ cell, ...failure }) => ({
      ...failure,
      cell: cell === null ? null : upgradeKey(cell, true),
    })),
  };
}
