import { refuse } from '../../results/refusals/refusal.ts';
import { engineOf, type RunPlan, transportOf } from '../../results/schema/index.ts';
import { recordedEnvironment } from '../../results/store/environment.ts';
import { version } from '../build.ts';
import { detailOver } from '../engines/engine.ts';
import { engineIn } from '../engines/index.ts';
import type { HostPool } from '../preparing/host-pool.ts';
import { pluginVersions } from '../preparing/probe-hosts.ts';
import type { ProbeRequest, ProbeResult } from '../probe.ts';
import { protocolVersion } from '../protocol.ts';
import type { RunEnvironment } from './differences.ts';

/**
 * Probes all hosts of a stored plan for the plan's transports, to learn the present environment. Descriptions of transports
 * are those of the first host.
 * @param environment environment variables that the run sets for its ranks
 * @throws Refusal if a transport can no longer run
 * @throws FailureError if a host cannot be probed
 */
export async function readEnvironment(
  plan: RunPlan,
  nodes: HostPool,
  environment: Record<string, string>,
): Promise<RunEnvironment> {
  const requests = plan.transports.map(
    (transport): ProbeRequest => ({
      engine: engineOf(plan),
      transport: transportOf(transport),
      options: transport.options,
      settings: { ...plan.settings, ...transport.settings },
      environment,
    }),
  );
  const engine = engineIn(plan);
  const isHere = nodes.hosts.length === 0;
  const found = await nodes.probe(requests);
  const hosts = found.map(({ inventory }, i) => nodes.hosts[i]?.name ?? inventory.hostname);
  for (const [i, { probed }] of found.entries()) requireAll(probed, hosts[i] as string);
  return {
    versions: {
      collbench: version(),
      agent: [...new Set(found.map((one) => one.version))].join(', '),
      protocol: String(protocolVersion),
      ...(await engine.versions(plan, found, isHere)),
      ...pluginVersions(hosts.map((name, i) => ({ name, result: found[i] as ProbeResult }))),
    },
    inventory: Object.fromEntries(found.map(({ inventory }, i) => [hosts[i], inventory])),
    environment: recordedEnvironment({ ...process.env, ...environment }),
    transports: plan.transports.map(({ name, options }, i) => {
      const capability = found[0]?.probed[i];
      const isBound = options.interface !== undefined;
      const detail = capability && detailOver(engine, plan.hosts.length, isBound, capability);
      return { name, medium: capability?.medium ?? 'emulated', detail: detail ?? '' };
    }),
  };
}

function requireAll(probed: ProbeResult['probed'], host: string): void {
  for (const { available, name: transport, reason, remedy, words = [], stack = [] } of probed) {
    if (!available) throw refuse('run-cannot-go-on', { transport, host, reason, remedy, words, stack });
  }
}
