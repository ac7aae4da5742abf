// Selects the learned scatter that applies to tonight's runs.
import type { ComparableRun } from '../compare/compare-runs.ts';
import { groupOf, xValueOf } from '../derive/cells/cell-group.ts';
import type { BaselineGroup, SamplingPlan } from '../schema/index.ts';

/** Returns the sampling settings as text. Learned differences between launches are used only for runs with the same text. */
export function samplingText({ warmup, iterations, batch, adaptive }: SamplingPlan): string {
  const count = iterations === null ? 'chosen' : String(iterations);
  const precision = adaptive === undefined ? '' : `, precision ${adaptive.precision}`;
  return `warm-up ${warmup}, iterations ${count}, batch ${batch}${precision}`;
}

/**
 * Returns the learned variances whose message sizes and sampling equal those of this run, and those that state neither.
 * `unlike`: number of those that differ. Series that the run has not measured count in neither.
 * @param groups learned variances of one suite entry
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
