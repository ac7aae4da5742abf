import { type RunPlan, runPlan, storedRow } from '../results/schema/index.ts';
import { estimateRunS } from './estimate.ts';
import type { PlanInput } from './plan-input.ts';
import { schedule } from './schedule.ts';
import { setSizes } from './set-sizes.ts';
import { planningOfCommand, workloadPlanning } from './workloads/index.ts';

export type { PlanInput } from './plan-input.ts';

/**
 * Smallest number of verified rank results a complete run has: every block verifies at least one sample, on every rank
 * that has a result. Sizes of 0 bytes have nothing to compare. Adaptive sampling has no launch after the first where the
 * budget ends.
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
 * The plan of a run: complete enough to be carried out again by anybody who reads it.
 * @throws {RangeError} more sizes than `maximumSizes`; no workload has the command
 */
export function makePlan(input: PlanInput): RunPlan {
  const planning = planningOfCommand(input.command);
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
    transports: input.transports,
    workloads: [storedRow(planning.row)],
    ...planning.points(input),
    sampling: input.sampling,
    ...(input.metricsIntervalUs == null ? {} : { metricsIntervalUs: input.metricsIntervalUs }),
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
