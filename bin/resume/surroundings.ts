import type { ProbeRequest } from '../../orchestration/probe.ts';
import { protocolVersion } from '../../orchestration/protocol.ts';
import { type RunPlan, transportOf } from '../../results/schema/index.ts';
import { recordedEnvironment } from '../../results/store/environment.ts';
import { CommandError } from '../exit.ts';
import { fileHash } from '../file-hash.ts';
import { agentPath, version } from '../native.ts';
import { gpusIn, versionsIn } from '../nccl-setting.ts';
import type { Surroundings } from './differences.ts';

/**
 * Asks the agent of this machine what it finds for the transports of a plan made earlier.
 * @throws CommandError one of them cannot run any more
 */
export async function surroundingsNow(plan: RunPlan): Promise<Surroundings> {
  const { probe } = await import('../../orchestration/probe.ts');
  const requests = plan.transports.map(
    (transport): ProbeRequest => ({
      engine: plan.engine,
      transport: transportOf(transport),
      options: transport.options,
      settings: { ...plan.settings, ...transport.settings },
    }),
  );
  const found = await probe(agentPath(), requests);
  for (const { available, name, reason, remedy } of found.probed) {
    if (available) continue;
    const lines = remedy === '' ? [] : [`  ${remedy}`];
    throw new CommandError(`the transport ${name} of the run cannot run now: ${reason}`, [
      ...lines,
      'Next: collbench transports',
    ]);
  }
  return {
    versions: {
      collbench: version(),
      agent: found.version,
      protocol: String(protocolVersion),
      ...(plan.engine === 'nccl' ? await libraryVersions(plan, found.probed[0]?.facts ?? {}) : {}),
    },
    inventory: { [found.inventory.hostname]: found.inventory },
    environment: recordedEnvironment(process.env),
    transports: plan.transports.map(({ name }, i) => {
      const { medium = 'emulated', detail = '' } = found.probed[i] ?? {};
      return { name, medium, detail };
    }),
  };
}

async function libraryVersions(
  { settings, ranks }: RunPlan,
  facts: Record<string, string>,
): Promise<Record<string, string>> {
  const all = gpusIn(facts);
  const wanted = settings.gpus?.split(',').map(Number) ?? all.map(({ number }) => number);
  const used = wanted.slice(0, ranks).flatMap((number) => all[number] ?? []);
  const library = facts['nccl.path'];
  return {
    ...versionsIn(facts, used),
    ...(library === undefined ? {} : { 'nccl.sha256': await fileHash(library) }),
  };
}
