import { addTo } from '../add-to.ts';
import { type CellGroup, groupOf, xValueOf } from '../derive/cells/cell-group.ts';
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

/** Cells of one size range that are judged together, and the figure that is compared. */
export interface ComparisonFamily {
  group: CellGroup;
  figure: string;
  /** The second headline figure, which is shown but not judged, with the pairs of cells that have it; null if there is none. */
  beside: { figure: string; pairs: OkPair[] } | null;
  pairs: OkPair[];
}

/**
 * Returns the headline figures of a size range; the first one is judged. Latency for small messages, because programs wait for
 * each of them. Pipelined time for large ones, which programs stream (stats.md R2, R4).
 */
export function headlinesOf(workload: string, { regime }: Pick<CellGroup, 'regime'>): string[] {
  const names = headlineNames(dataOf(workload));
  return regime === 'large' ? names.reverse() : names;
}

const has = (figure: string) => (pair: OkPair) =>
  measuredOf(pair.base, figure) !== null && measuredOf(pair.other, figure) !== null;

/** Sorts pairs of cells by size range, in the order of the base run, and returns why pairs are not compared. */
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
    // One figure is used for all cells of a group: different kinds of figures are never mixed.
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
