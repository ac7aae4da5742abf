import { addTo } from '../add-to.ts';
import { type CellGroup, groupOf, xValueOf } from '../derive/cell-group.ts';
import {
  type ComparisonRefusal,
  dataOf,
  headlineNames,
  measuredOf,
  type RunRecord,
  trialOf,
} from '../schema/index.ts';
import type { OkPair } from './load.ts';
import type { CompareOptions } from './options.ts';
import { refusalOf } from './refusals.ts';

/** Cells of one group that may be compared, and by which figure. */
export interface ComparisonFamily {
  group: CellGroup;
  figure: string;
  /** The headline that is told beside it and decides nothing, and of which cells; null = none. */
  beside: { figure: string; pairs: OkPair[] } | null;
  pairs: OkPair[];
}

/** Headlines of a group, what it is judged by first: small messages are waited for one by one, large ones stream (stats.md R2, R4). */
export function headlinesOf(workload: string, { regime }: Pick<CellGroup, 'regime'>): string[] {
  const names = headlineNames(dataOf(workload));
  return regime === 'large' ? names.reverse() : names;
}

const has = (figure: string) => (pair: OkPair) =>
  measuredOf(pair.base, figure) !== null && measuredOf(pair.other, figure) !== null;

/** The pairs by group, in the order of the base, and what cannot be compared. */
export function familiesOf(
  both: readonly OkPair[],
  base: RunRecord,
  other: RunRecord,
  rules: CompareOptions,
) {
  const byGroup = new Map<string, OkPair[]>();
  for (const pair of both) {
    const { key } = groupOf(pair.base);
    addTo(byGroup, key, pair);
  }
  const families: ComparisonFamily[] = [];
  const refused: ComparisonRefusal[] = [];
  for (const pairs of byGroup.values()) {
    const [{ base: first }] = pairs as [OkPair, ...OkPair[]];
    const group = groupOf(first);
    const names = headlinesOf(first.workload, group);
    // One figure for all of a group: figures of several kinds are never mixed.
    const figure = names.find((name) => pairs.some(has(name))) ?? names.at(-1) ?? '';
    const kept = pairs.filter((pair) => {
      const reason = has(figure)(pair)
        ? refusalOf(
            { plan: base.plan, cell: pair.base },
            { plan: other.plan, cell: pair.other },
            figure,
            rules,
          )
        : {
            kind: 'method' as const,
            reason: `one of the runs has no ${trialOf(dataOf(first.workload), figure)} figure`,
          };
      if (reason !== null) refused.push({ id: pair.base.id, x: xValueOf(pair.base), ...reason });
      return reason === null;
    });
    if (kept.length === 0) continue;
    const next = names.find((name) => name !== figure && kept.some(has(name)));
    const beside = next === undefined ? null : { figure: next, pairs: kept.filter(has(next)) };
    families.push({ group, figure, beside, pairs: kept });
  }
  return { families, refused };
}
