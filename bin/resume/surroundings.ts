import type { ProbeRequest, ProbeResult } from '../../orchestration/probe.ts';
import { protocolVersion } from '../../orchestration/protocol.ts';
import { engineOf, type RunPlan, transportOf } from '../../results/schema/index.ts';
import { recordedEnvironment } from '../../results/store/environment.ts';
import { CommandError } from '../exit.ts';
import { fileHash } from '../file-hash.ts';
import { version } from '../native.ts';
import { gpusIn, versionsIn } from '../nccl-setting.ts';
import type { Nodes } from '../nodes.ts';
import { detailOver } from '../transport-options.ts';
import type { Surroundings } from './differences.ts';

/**
 * Asks the agents of all hosts of a plan made earlier what they find for its transports.
 * @param environment what the run sets for its ranks
 * @throws CommandError one of them cannot run any more; FailureError a host cannot be asked
 */
export async function surroundingsNow(
  plan: RunPlan,
  nodes: Nodes,
  environment: Record<string, string>,
): Promise<Surroundings> {
  const requests = plan.transports.map(
    (transport): ProbeRequest => ({
      engine: engineOf(plan),
      transport: transportOf(transport),
      options: transport.options,
      settings: { ...plan.settings, ...transport.settings },
    }),
  );
  const isHere = nodes.hosts.length === 0;
  const found = isHere ? [await probeHere(nodes, requests)] : await nodes.probe(requests);
  const hosts = found.map(({ inventory }, i) => nodes.hosts[i]?.name ?? inventory.hostname);
  for (const [i, { probed }] of found.entries()) requireAll(probed, hosts[i] as string);
  return {
    versions: {
      collbench: version(),
      agent: [...new Set(found.map((one) => one.version))].join(', '),
      protocol: String(protocolVersion),
      ...(plan.engine === 'nccl' ? await libraryVersions(plan, found, isHere) : {}),
    },
    inventory: Object.fromEntries(found.map(({ inventory }, i) => [hosts[i], inventory])),
    environment: recordedEnvironment({ ...process.env, ...environment }),
    transports: plan.transports.map(({ name, options }, i) => {
      const { medium = 'emulated', detail = '' } = found[0]?.probed[i] ?? {};
      if (plan.engine !== 'cpu') return { name, medium, detail };
      return { name, medium, detail: detailOver(plan.hosts.length, name, options, detail) };
    }),
  };
}

async function probeHere({ agentPath }: Nodes, requests: ProbeRequest[]): Promise<ProbeResult> {
  const { probe } = await import('../../orchestration/probe.ts');
  return probe(agentPath, requests);
}

function requireAll(probed: ProbeResult['probed'], host: string): void {
  for (const { available, name, reason, remedy } of probed) {
    if (available) continue;
    const lines = remedy === '' ? [] : [`  ${remedy}`];
    throw new CommandError(`the transport ${name} of the run cannot run on ${host} now: ${reason}`, [
      ...lines,
      'Next: collbench transports',
    ]);
  }
}

/** As prepare-nccl.ts and prepare-hosts.ts record them. */
async function libraryVersions(
  { settings, ranks }: RunPlan,
  found: readonly ProbeResult[],
  isHere: boolean,
): Promise<Record<string, string>> {
  const facts = found[0]?.probed[0]?.facts ?? {};
  const all = found.flatMap(({ probed }) => gpusIn(probed[0]?.facts ?? {}));
  if (!isHere) return versionsIn(facts, all);
  const wanted = settings.gpus?.split(',').map(Number) ?? all.map(({ number }) => number);
  const used = wanted.slice(0, ranks).flatMap((number) => all[number] ?? []);
  const library = facts['nccl.path'];
  return {
    ...versionsIn(facts, used),
    ...(library === undefined ? {} : { 'nccl.sha256': await fileHash(library) }),
  };
}
