// The workloads that an engine offers: those that need only abilities that the engine has, within its limits.
import { plannings, type WorkloadPlanning } from '../workloads/index.ts';
import type { AxisLimits, PlanningEngine } from './engine.ts';

type WorkloadNeeds = Pick<WorkloadPlanning, 'needs' | 'either'> & {
  row: { axes: readonly { name: string }[] };
};

/**
 * Values of a workload's axes (parameters) that an engine supports; an axis without entry is not limited. A value must be allowed
 * by every ability in `needs` that limits the axis, and by at least one ability in `either` that the engine has. Null if the engine
 * lacks an ability of `needs`, or all of `either`, or if an axis has no value left. Axes that are not in `row.axes` are ignored.
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

/**
 * Values that at least one of several abilities allows, for each axis that all of them limit; null if the list of abilities is
 * empty.
 */
function anyOf(some: readonly AxisLimits[]): AxisLimits | null {
  const [first, ...others] = some;
  if (first === undefined) return null;
  const axes = Object.keys(first).filter((axis) => others.every((other) => other[axis] !== undefined));
  return Object.fromEntries(axes.map((axis) => [axis, [...new Set(some.flatMap((one) => one[axis] ?? []))]]));
}

/**
 * Commands (words after `collbench`) that an engine can measure. If the workload has an axis that names the operation, only
 * commands that the engine supports as values of that axis are returned.
 */
export function commandsOf(engine: PlanningEngine): string[] {
  return plannings.flatMap((planning) => {
    const limits = offerOf(engine, planning);
    if (limits === null) return [];
    const what = planning.row.axes.find(({ role }) => role === 'what');
    const allowed = what === undefined ? undefined : limits[what.name];
    return planning.commands.map(({ name }) => name).filter((name) => allowed?.includes(name) ?? true);
  });
}
