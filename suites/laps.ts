// Which points are measured side by side. Launches are the replication: what a machine does for a second must not meet all
// launches of a point, so they are measured one after the other, each over all points of a lap. A lap is short, so that rows
// are there while a long run goes on, and only one lap is lost where it ends early.
import type { RunPlan } from '../results/schema/index.ts';
import { affordableEffort, estimatePointS } from './costs.ts';
import { moreOf, needOf } from './sampler/budget.ts';

/** Seconds. A tenth of it lies between two launches of a point where each launch takes as long as the others. */
const lapS = 20;

/** Points of each lap, consecutive, all of the plan; where launches need not be apart each point is one. */
export function lapsOf(plan: RunPlan): number[][] {
  if (plan.sampling.apart !== true) return [...plan.points.keys()].map((point) => [point]);
  return inLaps(costsOf(plan));
}

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
export function inLaps(costsS: readonly number[]): number[][] {
  const total = costsS.reduce((sum, one) => sum + one, 0);
  const laps = Math.max(1, Math.round(total / lapS));
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
