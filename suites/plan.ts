import { type RunPlan, runPlan, setSizes, storedRow } from '../results/schema/index.ts';
import type { PlanInput } from './plan-input.ts';
import { estimateRunS } from './sampler/estimate.ts';
import { schedule } from './schedule.ts';
import { commandNamed, workloadPlanning } from './workloads/index.ts';

export type { PlanInput } from './plan-input.ts';

/**
 * Minimum number of results (of one operation on one rank) that a complete run verifies. Every block verifies at least one sample
 * on each rank that has a result; sizes of 0 bytes have nothing to verify. With adaptive sampling only the first launch counts,
 * because the time budget may be used up after it.
 */
function expectedChecks(plan: RunPlan): number {
  let checks = 0;
  for (const block of schedule(plan)) {
    const point = plan.points[block.point];
    if (!block.check || point === undefined) continue;
    if (plan.sampling.adaptive !== undefined && block.launch > 0) continue;
    const { checkedRanks } = workloadPlanning(point);
    for (const ranks of setSizes(plan)) checks += checkedRanks({ axes: point.axes, ranks });
  }
  return checks;
}

/**
 * Makes the complete plan of a run: the plan alone is enough to repeat the run.
 * @throws Refusal if there are more sizes than `maximumSizes`
 * @throws {RangeError} if no workload has the command
 */
export function makePlan(input: PlanInput): RunPlan {
  const { workload } = commandNamed(input.command);
  const { points, skipped } = workload.points(input);
  const names = [...new Set(points.map((point) => point.workload))];
  const rows = names.map((workload) => workloadPlanning({ workload }).row);
  const draft: RunPlan = {
    schemaVersion: 3,
    command: input.typed,
    engine: input.engine,
    settings: input.settings ?? {},
    algorithm: input.algorithm,
    ranks: input.ranks,
    hosts: input.hosts ?? [
      { name: input.host ?? 'localhost', ranks: Array.from({ length: input.ranks }, (_, rank) => rank) },
    ],
    ...(input.groups === undefined ? {} : { groups: input.groups }),
    ...(input.launcher === undefined ? {} : { launcher: input.launcher }),
    inProcess: input.inProcess,
    ...(input.priority === undefined ? {} : { priority: input.priority }),
    ...(input.cpuQuota === undefined ? {} : { cpuQuota: input.cpuQuota }),
    transports: input.transports,
    workloads: (rows.length === 0 ? [workload.row] : rows).map(storedRow),
    points,
    skipped,
    sampling: input.sampling,
    ...(input.metricsIntervalUs == null ? {} : { metricsIntervalUs: input.metricsIntervalUs }),
    ...(input.metricsSources === undefined ? {} : { metricsSources: [...input.metricsSources] }),
    expected: { cells: 0, checks: 0 },
    estimateS: 0,
  };
  return runPlan.parse({
    ...draft,
    expected: {
      cells: draft.points.length * draft.transports.length * setSizes(draft).length,
      checks: expectedChecks(draft),
    },
    estimateS: Math.round(estimateRunS(draft, undefined, input.slowdown, input.preparingS) * 10) / 10,
  });
}
