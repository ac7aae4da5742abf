// Selects the learned variances that apply to tonight's runs.
import type { ComparableRun } from '../compare/compare-runs.ts';
import { groupOf, xValueOf } from '../derive/cells/cell-group.ts';
import type { BaselineGroup, SamplingPlan } from '../schema/index.ts';

/**
 * Returns warm-up, iterations, batch and requested precision as text: "warm-up 5, iterations chosen, batch 0" (0 = chosen by the
 * ranks). Learned variances are used only for runs with an equal text.
 */
export function samplingText({ warmup, iterations, batch, adaptive }: SamplingPlan): string {
  const count = iterations === null ? 'chosen' : String(iterations);
  const precision = adaptive === undefined ? '' : `, precision ${adaptive.precision}`;
  return `warm-up ${warmup}, iterations ${count}, batch ${batch}${precision}`;
}

/**
 * Returns the learned variances (`used`) whose message sizes and sampling equal those of this run, or that state neither. `unlike`:
 * number of learned variances with other sizes or sampling. Series that the run did not measure are in neither.
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
