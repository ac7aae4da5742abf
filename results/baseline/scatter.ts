// Selects the learned scatter that applies to tonight's runs.
import type { ComparableRun } from '../compare/compare-runs.ts';
import { groupOf, xValueOf } from '../derive/cells/cell-group.ts';
import type { BaselineGroup, SamplingPlan } from '../schema/index.ts';

/** Returns a text of the sampling settings that change how much launch medians scatter: with fewer samples they scatter more. */
export function samplingText({ warmup, iterations, batch, adaptive }: SamplingPlan): string {
  const count = iterations === null ? 'chosen' : String(iterations);
  const precision = adaptive === undefined ? '' : `, precision ${adaptive.precision}`;
  return `warm-up ${warmup}, iterations ${count}, batch ${batch}${precision}`;
}

/**
 * Returns the learned variances of size ranges that have the same sizes and sampling as tonight. `unlike` is the number of the
 * others.
 * @param groups variances of one entry
 */
export function usableScatter(
  groups: readonly BaselineGroup[],
  { record, cells }: ComparableRun,
): { used: BaselineGroup[]; unlike: number } {
  const xs = new Map<string, Set<number>>();
  for (const cell of cells) {
    const { key } = groupOf(cell);
    xs.set(key, (xs.get(key) ?? new Set()).add(xValueOf(cell)));
  }
  const asked = groups.filter(({ key }) => xs.has(key));
  const used = asked.filter(({ key, holdsFor }) => {
    if (holdsFor === undefined) return true;
    const tonight = [...(xs.get(key) ?? [])].sort((a, b) => a - b);
    return holdsFor.sampling === samplingText(record.plan.sampling) && holdsFor.xs.join() === tonight.join();
  });
  return { used, unlike: asked.length - used.length };
}
