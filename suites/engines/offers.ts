// What an engine offers: the workloads that need no more than it has, within its limits.
import { plannings, type WorkloadPlanning } from '../workloads/index.ts';
import type { Limits, PlanningEngine } from './engine.ts';

/** By axis the values that an engine takes in a workload; an axis that is absent takes any. Null: it lacks what is needed. */
export function offerOf({ abilities }: PlanningEngine, { needs }: WorkloadPlanning): Limits | null {
  const limits: Record<string, readonly string[]> = {};
  for (const ability of needs) {
    const some = abilities[ability];
    if (some === undefined) return null;
    Object.assign(limits, some);
  }
  return limits;
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
