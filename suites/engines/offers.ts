// What an engine offers: the workloads that need no more than it has, within its limits.
import { plannings, type WorkloadPlanning } from '../workloads/index.ts';
import type { Limits, PlanningEngine } from './engine.ts';

/**
 * By axis of a workload the values that an engine takes: those that all abilities have which limit it. An axis that is
 * absent takes any. Null: an ability is missing, or an axis has no value left.
 */
export function offerOf(
  { abilities }: Pick<PlanningEngine, 'abilities'>,
  { needs, row }: Pick<WorkloadPlanning, 'needs'> & { row: { axes: readonly { name: string }[] } },
): Limits | null {
  const limits = new Map<string, readonly string[]>();
  for (const ability of needs) {
    const some = abilities[ability];
    if (some === undefined) return null;
    for (const { name } of row.axes) {
      const values = some[name];
      if (values === undefined) continue;
      limits.set(name, limits.get(name)?.filter((value) => values.includes(value)) ?? values);
    }
  }
  return [...limits.values()].some(({ length }) => length === 0) ? null : Object.fromEntries(limits);
}

/** Words behind `collbench` that an engine can measure: values of the axis that names the operation, where there is one. */
export function commandsOf(engine: PlanningEngine): string[] {
  return plannings.flatMap((planning) => {
    const limits = offerOf(engine, planning);
    if (limits === null) return [];
    const what = planning.row.axes.find(({ role }) => role === 'what');
    const allowed = what === undefined ? undefined : limits[what.name];
    return planning.commands.map(({ name }) => name).filter((name) => allowed?.includes(name) ?? true);
  });
}
