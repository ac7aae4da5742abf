import { z } from 'zod';
import { runRecord } from '../../schema/run.ts';
import { dataOf, keyWithout } from '../../schema/workloads/index.ts';
import { upgradeCell } from './cell.ts';
import { upgradeGroupKey } from './key.ts';

const learnedV1 = z.looseObject({
  groups: z.array(
    z.looseObject({
      entry: z.string(),
      key: z.string(),
      holdsFor: z.looseObject({ sizes: z.array(z.number()) }).optional(),
    }),
  ),
});
const baselineV1 = z.looseObject({
  entries: z.array(z.looseObject({ entry: z.string(), record: z.unknown(), cells: z.array(z.unknown()) })),
  learned: learnedV1.nullable(),
});
const namedV1 = z.looseObject({ id: z.string(), nodes: z.number(), medium: z.string() });
const named = z.looseObject({ id: z.string(), workload: z.string() });

export function upgradeBaseline(raw: unknown, runOf: (run: unknown) => unknown): unknown {
  const found = baselineV1.safeParse(raw);
  if (!found.success) return raw;
  const { entries, learned, ...rest } = found.data;
  const series = new Map<string, string>();
  return {
    ...rest,
    schemaVersion: 3,
    entries: entries.map(({ record: old, cells, ...entry }) => {
      const record = runOf(old);
      const plan = runRecord.safeParse(record).data?.plan;
      const upgraded = cells.map((cell) => upgradeCell(cell, plan));
      for (const [i, cell] of upgraded.entries()) {
        const [from, to] = [seriesV1(cells[i]), seriesOf(cell)];
        if (from !== null && to !== null) series.set(`${entry.entry} ${from}`, to);
      }
      return { ...entry, record, cells: upgraded };
    }),
    learned:
      learned === null ? null : { ...learned, groups: learned.groups.map((group) => groupOf(group, series)) },
  };
}

/** Key of the series of a cell of version 1: the id without bytes, then nodes and medium. */
function seriesV1(raw: unknown): string | null {
  const cell = namedV1.safeParse(raw).data;
  if (cell === undefined) return null;
  const parts = cell.id.split('/');
  parts.splice(5, 1);
  return [...parts, `${cell.nodes}n`, cell.medium].join('/');
}

function seriesOf(raw: unknown): string | null {
  const cell = named.safeParse(raw).data;
  if (cell === undefined) return null;
  const x = dataOf(cell.workload).axes.flatMap(({ name, role }) => (role === 'x' ? [name] : []));
  return keyWithout(cell.id, x);
}

/** @param series of each entry and key of version 1 that of version 2, as the cells have it: what they ask for is in no old key */
function groupOf(
  { key, holdsFor, ...rest }: z.infer<typeof learnedV1>['groups'][number],
  series: ReadonlyMap<string, string>,
): unknown {
  const { sizes, ...how } = holdsFor ?? { sizes: [] };
  const cut = key.lastIndexOf('/');
  const known = series.get(`${rest.entry} ${key.slice(0, cut)}`);
  return {
    ...rest,
    key: known === undefined ? upgradeGroupKey(key) : known + key.slice(cut),
    ...(holdsFor === undefined ? {} : { holdsFor: { ...how, xs: sizes } }),
  };
}
