// The order of points and launches. Launches are the replications of a measurement: a disturbance of a second must not affect all
// launches of a point, so the launches of a point are apart in time. Every point has its first launch before any point has its
// second, so that an interrupted run has figures for all points. The other launches go in passes of about 30 s; each pass completes
// its points.
import type { RunPlan } from '../results/schema/index.ts';
import { affordableEffort, estimatePointS } from './costs.ts';
import { expectedMoreS, pointNeed } from './sampler/budget.ts';

/**
 * Target duration in seconds of a pass: a part of the run in which several points (message sizes) are measured launch by launch.
 * The longer a pass, the further apart in time are the launches of a point.
 */
export const passS = 30;

/**
 * Divides the points (message sizes) into passes: consecutive points whose launches are all measured before the next pass. Returns
 * the indices of the points of each pass. If the plan does not require launches of a point to be apart in time, each point is its
 * own pass.
 */
export function pointPasses(plan: RunPlan): number[][] {
  if (plan.sampling.apart !== true) return [...plan.points.keys()].map((point) => [point]);
  return passesOf(costsOf(plan));
}

/**
 * Points (indices) and launches (numbers) that are measured together: the first launch measures all the points, then the next
 * launch, and so on.
 */
export interface PassGroup {
  points: number[];
  launches: number[];
}

/**
 * All points and launches of a run, divided into groups that are measured one after the other. If hasFirstPass(), the first group
 * is the first launch of all points. Then follow the passes.
 */
export function passGroupsOf(plan: RunPlan): PassGroup[] {
  const passes = pointPasses(plan);
  const launches = Array.from({ length: plan.sampling.launches }, (_, launch) => launch);
  if (!hasFirstPass(plan)) return passes.map((points) => ({ points, launches }));
  const [first = 0, ...others] = launches;
  return [
    { points: [...plan.points.keys()], launches: [first] },
    ...passes.map((points) => ({ points, launches: others })),
  ];
}

/**
 * True if the first launch measures all points before any other launch begins. The other launches then go through the points pass
 * by pass.
 */
export const hasFirstPass = ({ sampling }: RunPlan): boolean =>
  sampling.apart === true && sampling.launches > 1;

/** [point] Estimated seconds of each point of the plan, in all launches together, before anything is measured. */
function costsOf(plan: RunPlan): number[] {
  const points = [...plan.points.keys()];
  const { adaptive } = plan.sampling;
  if (adaptive === undefined) {
    const effort = affordableEffort(plan);
    return points.map((point) => estimatePointS(plan, point, effort));
  }
  const needs = points.map((point) => pointNeed(plan, point));
  const shareS = adaptive.budgetS / Math.max(1, points.length);
  return needs.map((need) => need.firstS + expectedMoreS(need, shareS));
}

/**
 * Divides points (message sizes) into consecutive passes of about equal duration. There are at most as many passes as the total
 * duration divided by `passS` (30 s), rounded, but at least one. Returns the indices of the points of each pass.
 * @param costsS estimated seconds of each point in all launches
 */
export function passesOf(costsS: readonly number[]): number[][] {
  const total = costsS.reduce((sum, one) => sum + one, 0);
  const passes = Math.max(1, Math.round(total / passS));
  const found: number[][] = [];
  let [before, pass] = [0, -1];
  for (const [point, costS] of costsS.entries()) {
    // A point belongs to the pass in which the middle of its time falls.
    const own = total === 0 ? 0 : Math.min(passes - 1, Math.floor(((before + costS / 2) / total) * passes));
    if (own !== pass) found.push([]);
    pass = own;
    found.at(-1)?.push(point);
    before += costS;
  }
  return found;
}
