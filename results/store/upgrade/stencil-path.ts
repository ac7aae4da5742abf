import { z } from 'zod';
import { transportRow } from '../../schema/transports/index.ts';
import { axes } from '../../schema/workloads/data.ts';
import { partsOfKey, stencil } from '../../schema/workloads/index.ts';

// Version 3 took apart what path `host` of the stencil on CPUs had been. Over transports without queues of their own one
// thread computed and exchanged: that is path `rank` now. Nothing else differs from version 2.

const pointV2 = z.looseObject({ workload: z.literal(stencil.name), axes });
const planV2 = z.looseObject({
  engine: z.string(),
  points: z.array(z.unknown()),
  transports: z.array(z.looseObject({ name: z.string() })),
});
const runV2 = z.looseObject({ plan: planV2, launches: z.array(z.unknown()) });
const baselineV2 = z.looseObject({
  entries: z.array(z.looseObject({ record: z.unknown(), cells: z.array(z.unknown()) })),
  learned: z.looseObject({ groups: z.array(z.looseObject({ key: z.string() })) }).nullable(),
});

const wasRank = (engine: string | undefined, transport: string): boolean =>
  engine === 'cpu' && transportRow(transport)?.takesPuts !== true;

/** The id of a cell, or a key made of one. */
function keyOf(key: string): string {
  const parts = partsOfKey(key);
  const { workload, engine, transport = '' } = Object.fromEntries(parts);
  const isMeant = workload === stencil.name && wasRank(engine, transport);
  return isMeant ? key.replace(';path=host;', ';path=rank;') : key;
}

function withPath<T extends { axes: z.infer<typeof axes> }>(one: T): T {
  return one.axes.path === 'host' ? { ...one, axes: { ...one.axes, path: 'rank' } } : one;
}

type CellV2 = Record<string, unknown> & { id: string; workload: string };
const isCell = (raw: object): raw is CellV2 => 'status' in raw && 'id' in raw && 'workload' in raw;

function cellOf(cell: CellV2): object {
  const id = keyOf(cell.id);
  if (id === cell.id) return { ...cell, schemaVersion: 3 };
  return { ...cell, schemaVersion: 3, id, axes: { ...(cell.axes as object), path: 'rank' } };
}

/** A point that is measured over transports of both kinds keeps its word: cells say which of the two they are. */
function planOf({ engine, points, transports, ...rest }: z.infer<typeof planV2>): object {
  const isRank = transports.every(({ name }) => wasRank(engine, name));
  const pointOf = (raw: unknown): unknown => {
    const point = pointV2.safeParse(raw);
    return isRank && point.success ? withPath(point.data) : raw;
  };
  return { ...rest, engine, transports, schemaVersion: 3, points: points.map(pointOf) };
}

function baselineOf({ entries, learned, ...rest }: z.infer<typeof baselineV2>): object {
  const groupOf = <T extends { key: string }>(group: T): T => ({ ...group, key: keyOf(group.key) });
  return {
    ...rest,
    schemaVersion: 3,
    entries: entries.map(({ record, cells, ...entry }) => ({
      ...entry,
      record: upgradeV2(record),
      cells: cells.map(upgradeV2),
    })),
    learned: learned === null ? null : { ...learned, groups: learned.groups.map(groupOf) },
  };
}

/** A record of schema version 2 as version 3 has it: run.json, baselines, lines of cells.ndjson. Others did not change. */
export function upgradeV2(raw: unknown): unknown {
  if (typeof raw !== 'object' || raw === null) return raw;
  // Asked of every line of cells.ndjson: a schema would copy each of them.
  if (isCell(raw)) return cellOf(raw);
  const run = runV2.safeParse(raw);
  if (run.success) return { ...run.data, schemaVersion: 3, plan: planOf(run.data.plan) };
  const baseline = baselineV2.safeParse(raw);
  return baseline.success ? baselineOf(baseline.data) : raw;
}
