// The order of points and launches. Launches are the replication: what a machine does for a second must not meet all launches
// of a point, so they are measured one after the other. Every point has its first launch before any has its second, so an
// interrupted run has something everywhere. The other launches go over laps of about 20 s, which complete their points.
import type { RunPlan } from '../results/schema/index.ts';
import { affordableEffort, estimatePointS } from './costs.ts';
import { moreOf, needOf } from './sampler/budget.ts';

/** Seconds. A tenth of it lies between two launches of a point where each launch takes as long as the others. */
export const passS = 20;

/** Points of each lap, consecutive, all of the plan; where launches need not be apart each point is one. */
export function pointPasses(plan: RunPlan): number[][] {
  if (plan.sampling.apart !== true) return [...plan.points.keys()].map((point) => [point]);
  return passesOf(costsOf(plan));
}

/** Points and launches that are measured together: launch by launch, each over all of the points. */
export interface PassGroup {
  points: number[];
  launches: number[];
}

/** All launches of the plan in the order of measuring. */
export function passGroupsOf(plan: RunPlan): PassGroup[] {
  const laps = pointPasses(plan);
  const launches = Array.from({ length: plan.sampling.launches }, (_, launch) => launch);
  if (!hasFirstPass(plan)) return laps.map((points) => ({ points, launches }));
  const [first = 0, ...others] = launches;
  return [
    { points: [...plan.points.keys()], launches: [first] },
    ...laps.map((points) => ({ points, launches: others })),
  ];
}

/** Whether the first launch goes over all points before any lap begins. */
export const hasFirstPass = ({ sampling }: RunPlan): boolean =>
  sampling.apart === true && sampling.launches > 1;

/** Seconds of each point, as far as they can be told before anything is measured. */
function costsOf(plan: RunPlan): number[] {
  const points = [...plan.points.keys()];
  const { adaptive } = plan.sampling;
  if (adaptive === undefined) {
    const effort = affordableEffort(plan);
    return points.map((point) => estimatePointS(plan, point, effort));
  }
  const needs = points.map((point) => needOf(plan, point));
  const shareS = adaptive.budgetS / Math.max(1, points.length);
  return needs.map((need) => need.firstS + moreOf(need, shareS));
}

/** Laps that take about as long as each other. @param costsS of each point */
export function passesOf(costsS: readonly number[]): number[][] {
  const total = costsS.reduce((sum, one) => sum + one, 0);
  const laps = Math.max(1, Math.round(total / passS));
  const found: number[][] = [];
  let [before, lap] = [0, -1];
  for (const [point, costS] of costsS.entries()) {
    // Where its middle falls.
    const own = total === 0 ? 0 : Math.min(laps - 1, Math.floor(((before + costS / 2) / total) * laps));
    if (own !== lap) found.push([]);
    lap = own;
    found.at(-1)?.push(point);
    before += costS;
  }
  return found;
}
