import { addTo } from '../collections.ts';
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

/** Measurements of one series in one range of message sizes, from both runs. They are judged together by one figure. */
export interface ComparisonFamily {
  group: CellGroup;
  figure: string;
  /**
   * Second headline figure (pipelined time, or latency if that is not judged): shown, but not judged. With the measurements that
   * have it in both runs; null if there is none.
   */
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

/**
 * Sorts the pairs of measurements of two runs by series and size range. The judged figure is the first headline that some pair
 * has in both runs. `refused` lists the pairs that cannot be compared, each with the reason; a range without any other pair is
 * left out.
 */
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
