// The embedded engine on this machine: host memory, transports of collbench's own.
import type { ProbeRequest, ProbeResult } from '../orchestration/probe.ts';
import type { TransportCapability } from '../orchestration/protocol.ts';
import type { Inventory, RunPlan } from '../results/schema/index.ts';
import { bytesText } from '../results/units.ts';
import { pointBytes } from '../suites/sets.ts';
import { CommandError } from './exit.ts';
import { agentPath } from './native.ts';
import { cpuDefaults, type Options } from './options/index.ts';
import type { Setting } from './prepare.ts';
import { fullName, requireAvailable, requireInterface, transportOptions } from './transport-options.ts';

/** @throws CommandError when something asked for cannot run here */
export async function prepareCpu(options: Options): Promise<Setting> {
  const names = (options.transport ?? cpuDefaults.transport).map(fullName);
  const { inventory, probed, transports, cpus, numa = [] } = await probeCpu(names, options);
  requireInterface(options.interface, inventory);
  requireAvailable(probed, names, transports);
  return {
    inventory,
    ranks: options.ranks ?? cpuDefaults.ranks,
    transports: probed.map(({ medium, detail }, i) => {
      const name = names[i] as string;
      return { name, medium, detail, options: transportOptions(name, options) };
    }),
    settings: {},
    attest: false,
    versions: {},
    ground: { cpus, numa, gpuNodes: [] },
    leftOut: [],
    requireMemory: (plan) => requireHostMemory(plan, inventory),
  };
}

/** @throws CommandError a transport that the engine does not know */
export async function probeCpu(names: readonly string[], options: Options): Promise<ProbeResult> {
  const { probe } = await import('../orchestration/probe.ts');
  const known = names.every((name) => name.startsWith('plugin:') || ['socket', 'sisci'].includes(name));
  if (!known) requireKnown(names, (await probe(agentPath(), [])).transports);
  const requests = names.map(
    (transport): ProbeRequest => ({ transport, options: transportOptions(transport, options) }),
  );
  return probe(agentPath(), requests);
}

function requireKnown(asked: readonly string[], known: readonly TransportCapability[]): void {
  const names = known.map(({ name }) => (name === 'plugin' ? 'plugin:PATH' : name));
  for (const name of asked) {
    if (name.startsWith('plugin:') || known.some((transport) => transport.name === name)) continue;
    const gpus = ['p2p', 'shm', 'ib', 'ibgda'].includes(name);
    throw new CommandError(`--transport ${name}: ${gpus ? 'the cpu engine has none' : 'no such transport'}`, [
      `  allowed: ${names.join(', ')}${gpus ? `; ${name} with --engine nccl` : ''}`,
      'Next: collbench transports',
    ]);
  }
}

/** The buffers of all ranks at the largest point must fit, or the machine swaps and nothing is measured. */
function requireHostMemory(plan: RunPlan, inventory: Inventory): void {
  const needs = plan.points.map((point) => pointBytes(plan, point));
  const most = needs.reduce((a, b) => Math.max(a, b), 0);
  if (most <= inventory.memoryBytes * 0.9) return;
  throw new CommandError(
    `the largest size needs ${bytesText(most)} for ${plan.ranks} ranks; ${inventory.hostname} has ${bytesText(inventory.memoryBytes)}`,
    ['  allowed: buffers of all ranks within 90 % of the memory', 'Next: lower --max or --ranks'],
  );
}
