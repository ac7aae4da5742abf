// What an engine offers: the workloads that need no more than it has, within its limits.
import { plannings, type WorkloadPlanning } from '../workloads/index.ts';
import type { AxisLimits, PlanningEngine } from './engine.ts';

type WorkloadNeeds = Pick<WorkloadPlanning, 'needs' | 'either'> & {
  row: { axes: readonly { name: string }[] };
};

/**
 * By axis of a workload the values that an engine takes: those that all abilities have which limit it, and of those of which
 * one is enough the values that any has. An axis that is absent takes any. Null: an ability is missing, or an axis has no value
 * left.
 */
export function offerOf(
  { abilities }: Pick<PlanningEngine, 'abilities'>,
  { needs, either = [], row }: WorkloadNeeds,
): AxisLimits | null {
  const limits = new Map<string, readonly string[]>();
  const one = anyOf(either.map((ability) => abilities[ability]).filter((some) => some !== undefined));
  if (either.length > 0 && one === null) return null;
  const all = [...needs.map((ability) => abilities[ability]), ...(one === null ? [] : [one])];
  for (const some of all) {
    if (some === undefined) return null;
    for (const { name } of row.axes) {
      const values = some[name];
      if (values === undefined) continue;
      limits.set(name, limits.get(name)?.filter((value) => values.includes(value)) ?? values);
    }
  }
  return [...limits.values()].some(({ length }) => length === 0) ? null : Object.fromEntries(limits);
}

/** Values that any of them has, by the axes that all of them limit; null = there is none. */
function anyOf(some: readonly AxisLimits[]): AxisLimits | null {
  const [first, ...others] = some;
  if (first === undefined) return null;
  const axes = Object.keys(first).filter((axis) => others.every((other) => other[axis] !== undefined));
  return Object.fromEntries(axes.map((axis) => [axis, [...new Set(some.flatMap((one) => one[axis] ?? []))]]));
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
