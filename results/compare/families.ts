import { type CellGroup, groupOf, type Regime } from '../derive/cell-group.ts';
import type { Refusal, RunRecord, TrialFigures } from '../schema/index.ts';
import type { OkPair } from './arms.ts';
import type { CompareOptions } from './options.ts';
import { refusalOf } from './refusals.ts';

/** Cells of one group that may be compared, and by which figure. */
export interface Family {
  group: CellGroup;
  trial: TrialFigures['trial'];
  pairs: OkPair[];
}

/** Small messages are waited for one by one, large ones stream (stats.md R2, R4). */
const headlineOf = (regime: Regime): TrialFigures['trial'] => (regime === 'large' ? 'pipelined' : 'isolated');
export const otherTrial = (trial: TrialFigures['trial']) => (trial === 'isolated' ? 'pipelined' : 'isolated');
export const has = (trial: TrialFigures['trial']) => (pair: OkPair) =>
  pair.base[trial] !== null && pair.other[trial] !== null;

/** The pairs by group, in the order of the base, and what must not be compared. */
export function familiesOf(
  both: readonly OkPair[],
  base: RunRecord,
  other: RunRecord,
  rules: CompareOptions,
) {
  const byGroup = new Map<string, OkPair[]>();
  for (const pair of both) {
    const { key } = groupOf(pair.base);
    byGroup.set(key, [...(byGroup.get(key) ?? []), pair]);
  }
  const families: Family[] = [];
  const refused: Refusal[] = [];
  for (const pairs of byGroup.values()) {
    const group = groupOf((pairs[0] as OkPair).base);
    const usual = headlineOf(group.regime);
    // One figure for all of a group: the two kinds are never mixed.
    const trial = pairs.some(has(usual)) ? usual : otherTrial(usual);
    const kept = pairs.filter((pair) => {
      const { id, payloadBytes } = pair.base;
      const reason = has(trial)(pair)
        ? refusalOf(
            { plan: base.plan, cell: pair.base },
            { plan: other.plan, cell: pair.other },
            trial,
            rules,
          )
        : { kind: 'method' as const, reason: `one of the runs has no ${trial} figure` };
      if (reason !== null) refused.push({ id, payloadBytes, ...reason });
      return reason === null;
    });
    if (kept.length > 0) families.push({ group, trial, pairs: kept });
  }
  return { families, refused };
}
