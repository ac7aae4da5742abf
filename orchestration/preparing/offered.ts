// Checks that the agents support what the plan measures: an agent of a different build may support less than this
// build.
import { refuse } from '../../results/refusals/refusal.ts';
import type { PointPlan, RunPlan } from '../../results/schema/index.ts';
import type { ProbedHost } from '../engines/engine.ts';
import type { EngineOffer } from '../protocol.ts';

/**
 * Returns the name of the workload of a point, or one of its parameters with its value ("dtype bfloat16"), that the agent's engine
 * does not support. Null = the engine supports the point.
 * @param offer workloads and parameters that the engine supports; undefined = the agent lacks the engine, so the workload is
 * returned
 */
function unsupportedPart(offer: EngineOffer | undefined, { workload, axes }: PointPlan): string | null {
  const limits = offer?.offers[workload];
  if (limits === undefined) return workload;
  for (const [axis, values] of Object.entries(limits)) {
    const value = axes[axis];
    if (typeof value === 'string' && !values.includes(value)) return `${axis} ${value}`;
  }
  return null;
}

/**
 * Checks that the engine of the plan, on each host's agent, supports every operation in the plan.
 * @throws Refusal for the first that it does not support, also if an agent lacks the engine
 */
export function requireOffered(
  plan: Pick<RunPlan, 'engine' | 'points'>,
  hosts: readonly { name: string; result: Pick<ProbedHost['result'], 'engines' | 'version'> }[],
): void {
  for (const { name: host, result } of hosts) {
    const offer = result.engines.find(({ name }) => name === plan.engine);
    for (const point of plan.points) {
      const what = unsupportedPart(offer, point);
      if (what === null) continue;
      throw refuse('agent-lacks', { host, version: result.version, engine: plan.engine, what });
    }
  }
}
