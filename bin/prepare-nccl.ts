// NCCL on this machine's GPUs: which library, which GPUs, which series, and what cannot be.
import type { ProbeRequest, ProbeResult } from '../orchestration/probe.ts';
import type { TransportCapability } from '../orchestration/protocol.ts';
import { refuse } from '../results/refusals/refusal.ts';
import type { CollectiveName, TransportPlan } from '../results/schema/index.ts';
import { type SeriesChoice, seriesOf } from '../suites/series.ts';
import { CommandError } from './exit.ts';
import { fileHash } from './file-hash.ts';
import { agentPath } from './native.ts';
import {
  crewOf,
  engineSettings,
  gpuNodesIn,
  gpusIn,
  ncclTransports,
  requireGpuMemory,
  requireTypes,
  versionsIn,
} from './nccl-setting.ts';
import type { Options } from './options/index.ts';
import type { Setting } from './prepare.ts';
import { requireRoots } from './read-options.ts';
import { fullName, requireAvailable, requireInterface, transportOptions } from './transport-options.ts';

/** @throws CommandError when something asked for cannot run here */
export async function prepareNccl(collective: CollectiveName, options: Options): Promise<Setting> {
  const { choices, leftOut } = choicesOf(collective, options);
  const { result, names, settings } = await probeNccl(options, choices);
  const { inventory, probed } = result;
  requireInterface(options.interface, inventory);
  const facts = probed[0]?.facts ?? {};
  const gpus = gpusIn(facts);
  // Too few GPUs is told before what a transport says about one of them.
  const crew = gpus.length === 0 ? null : crewOf(collective, options, gpus);
  requireAvailable(probed, names, await othersThan(probed, options));
  if (crew === null) throw new CommandError('no GPU was found', ['Next: collbench transports']);
  requireTypes(collective, options, crew, facts);
  requireRoots(collective, options, crew.ranks);
  const library = facts['nccl.path'];
  return {
    inventory,
    ranks: crew.ranks,
    transports: seriesPlans(probed, names, choices, options),
    settings,
    attest: options.attest,
    versions: {
      ...versionsIn(facts, crew.gpus),
      ...(library === undefined ? {} : { 'nccl.sha256': await fileHash(library) }),
    },
    ground: {
      cpus: result.cpus,
      numa: result.numa ?? [],
      gpuNodes: crew.gpus.map(({ number }) => gpuNodesIn(facts)[number] ?? -1),
    },
    leftOut,
    requireMemory: (plan) => requireGpuMemory(plan, crew),
  };
}

/** @throws Refusal when NCCL has none of the algorithms and protocols for this collective */
export function choicesOf(
  collective: CollectiveName,
  options: Options,
): { choices: SeriesChoice[]; leftOut: string[] } {
  const { series, leftOut } = seriesOf(collective, options.algo, options.proto);
  if (series.length > 0) return { choices: series, leftOut };
  throw refuse('nccl-has-no-series', { collective, leftOut });
}

/**
 * Probes every transport that was asked for, or the usual one: p2p where there are several GPUs, else socket.
 * @returns `names` in the order of `result.probed`
 * @throws CommandError a transport that the engine does not have
 */
export async function probeNccl(
  options: Options,
  choices: readonly SeriesChoice[],
): Promise<{ result: ProbeResult; names: string[]; settings: Record<string, string> }> {
  const names = (options.transport ?? []).map(fullName);
  requireKnown(names);
  const settings = engineSettings(options);
  const requestOf = (transport: string): ProbeRequest => ({
    engine: 'nccl',
    transport,
    options: transportOptions(transport, options),
    settings: { ...settings, ...choices[0]?.settings },
  });
  const { probe } = await import('../orchestration/probe.ts');
  if (names.length > 0) {
    return { result: await probe(agentPath(), names.map(requestOf)), names, settings };
  }
  const result = await probe(agentPath(), ['p2p', 'socket'].map(requestOf));
  const count = options.gpus?.length ?? gpusIn(result.probed[1]?.facts ?? {}).length;
  const usual = count > 1 && !options.shareGpu ? 0 : 1;
  const probed = [result.probed[usual] as TransportCapability];
  return { result: { ...result, probed }, names: [usual === 0 ? 'p2p' : 'socket'], settings };
}

function requireKnown(names: readonly string[]): void {
  const known = ncclTransports.map((name) => (name === 'plugin' ? 'plugin:PATH' : name));
  for (const name of names) {
    if (name.startsWith('plugin:') || (ncclTransports as readonly string[]).includes(name)) continue;
    throw new CommandError(`--transport ${name}: the nccl engine has none`, [
      `  allowed: ${known.join(', ')}`,
      'Next: collbench transports',
    ]);
  }
}

/** What else could run, for the refusal of one that cannot; asked only then. */
async function othersThan(
  probed: readonly TransportCapability[],
  options: Options,
): Promise<TransportCapability[]> {
  if (probed.every(({ available }) => available)) return [];
  const { probe } = await import('../orchestration/probe.ts');
  const settings = engineSettings(options);
  const requests = ncclTransports
    .filter((name) => name !== 'plugin')
    .map((transport): ProbeRequest => ({ engine: 'nccl', transport, options: {}, settings }));
  return (await probe(agentPath(), requests)).probed;
}

/** Every transport with every choice: one series each. */
export function seriesPlans(
  probed: readonly TransportCapability[],
  names: readonly string[],
  choices: readonly SeriesChoice[],
  options: Options,
): TransportPlan[] {
  return probed.flatMap(({ medium, detail, facts = {} }, i) => {
    const name = names[i] as string;
    const isPlugin = name === 'sisci' || name.startsWith('plugin:');
    const network = isPlugin ? facts['env.NCCL_NET'] : undefined;
    return choices.map(
      ({ suffix, settings }): TransportPlan => ({
        name: `${name}${suffix}`,
        medium,
        detail,
        options: transportOptions(name, options),
        ...(settings === undefined ? {} : { settings }),
        ...(network === undefined ? {} : { network }),
      }),
    );
  });
}
