// From options to a plan: asks the agent what can run here, so that nothing starts which cannot.
import { randomInt } from 'node:crypto';
import path from 'node:path';
import type { ProbeRequest, ProbeResult } from '../orchestration/probe.ts';
import type { TransportCapability } from '../orchestration/protocol.ts';
import type { CollectiveName, Inventory, RunPlan, TransportPlan } from '../results/schema/index.ts';
import { bytesText } from '../results/units.ts';
import { bufferBytes, collectives } from '../suites/collectives.ts';
import { makePlan } from '../suites/plan.ts';
import { CommandError } from './exit.ts';
import { agentPath } from './native.ts';
import { flags, linkModels, type Options } from './options/index.ts';
import { sizeRule } from './read-options.ts';

/** `plugin:` with its path made absolute, so that the plan means the same from any folder. */
export function fullName(name: string): string {
  return name.startsWith('plugin:') ? `plugin:${path.resolve(name.slice('plugin:'.length))}` : name;
}

/** What a transport is told (native/transports/transport.h, TransportOptions); only what applies to it. */
export function transportOptions(name: string, options: Options): TransportPlan['options'] {
  const { interface: device, streams, link, fault, pathProof, sisciLibrary } = options;
  if (name === 'socket') return { ...(device === null ? {} : { interface: device }), streams };
  const emulation = { link, ...(fault === null ? {} : { fault }), pathProof };
  if (name === 'sisci') return { ...emulation, ...(sisciLibrary === null ? {} : { library: sisciLibrary }) };
  if (name.startsWith('plugin:')) return { ...emulation, library: name.slice('plugin:'.length) };
  return {};
}

function requireKnown(options: Options, known: readonly TransportCapability[]): void {
  const names = known.map(({ name }) => (name === 'plugin' ? 'plugin:PATH' : name));
  for (const name of options.transport) {
    if (name.startsWith('plugin:') || known.some((transport) => transport.name === name)) continue;
    throw new CommandError(`--transport ${name}: no such transport`, [
      `  allowed: ${names.join(', ')}`,
      'Next: collbench transports',
    ]);
  }
}

function requireInterface(name: string | null, inventory: Inventory): void {
  if (name === null || inventory.interfaces.some((device) => device.name === name)) return;
  throw new CommandError(`--interface ${name}: no such network interface on ${inventory.hostname}`, [
    `  allowed: ${inventory.interfaces.map((device) => device.name).join(', ')}`,
  ]);
}

function requireAvailable(
  probed: readonly TransportCapability[],
  names: readonly string[],
  known: readonly TransportCapability[],
): void {
  const index = probed.findIndex((transport) => !transport.available);
  const missing = probed[index];
  if (missing === undefined) return;
  const can = known
    .filter((transport) => transport.available)
    .map((transport) => (transport.medium === 'emulated' ? `${transport.name} (emulated)` : transport.name));
  throw new CommandError(`transport ${names[index]} cannot run here`, [
    ...[missing.reason, missing.remedy].filter((line) => line !== '').map((line) => `  ${line}`),
    `Transports that can run here: ${can.length === 0 ? 'none' : can.join(', ')}. See: collbench transports --explain`,
  ]);
}

/** The buffers of all ranks at the largest point must fit, or the machine swaps and nothing is measured. */
function requireMemory(plan: RunPlan, inventory: Inventory): void {
  const needs = plan.points.map(({ collective, payloadBytes, inPlace }) =>
    bufferBytes(collectives[collective], payloadBytes, plan.ranks, inPlace),
  );
  const most = needs.reduce((a, b) => Math.max(a, b), 0);
  if (most <= inventory.memoryBytes * 0.9) return;
  throw new CommandError(
    `the largest size needs ${bytesText(most)} for ${plan.ranks} ranks; ${inventory.hostname} has ${bytesText(inventory.memoryBytes)}`,
    ['  allowed: buffers of all ranks within 90 % of the memory', 'Next: lower --max or --ranks'],
  );
}

const asProbeRequests = (options: Options): ProbeRequest[] =>
  options.transport.map((name) => ({
    transport: fullName(name),
    options: transportOptions(fullName(name), options),
  }));

async function probeFor(options: Options): Promise<ProbeResult> {
  const { probe } = await import('../orchestration/probe.ts');
  const known = options.transport.every(
    (name) => name.startsWith('plugin:') || ['socket', 'sisci'].includes(name),
  );
  if (!known) requireKnown(options, (await probe(agentPath(), [])).transports);
  return probe(agentPath(), asProbeRequests(options));
}

function requireLink(link: string): void {
  if (linkModels.includes(link) || link.startsWith('custom:')) return;
  throw new CommandError(`--link ${link}: no such link model`, [`  allowed: ${flags.link.allowed}`]);
}

/**
 * The plan of one measuring command on this machine.
 * @throws CommandError when something asked for cannot run, before anything was started or written
 */
export async function prepare(
  collective: CollectiveName,
  options: Options,
  words: readonly string[],
): Promise<{ plan: RunPlan; inventory: Inventory }> {
  requireLink(options.link);
  const { inventory, probed, transports } = await probeFor(options);
  requireInterface(options.interface, inventory);
  const names = options.transport.map(fullName);
  requireAvailable(probed, names, transports);
  let plan: RunPlan;
  try {
    plan = makePlan({
      command: ['collbench', collective, ...words],
      collective,
      engine: options.engine,
      algorithm: options.algorithm,
      ranks: options.ranks,
      host: inventory.hostname,
      inProcess: options.inProcess,
      transports: probed.map(({ medium, detail }, i) => {
        const name = names[i] as string;
        return { name, medium, detail, options: transportOptions(name, options) };
      }),
      dtypes: options.dtype,
      ops: options.op,
      roots: options.root,
      inPlace: options.inPlace,
      sizes: sizeRule(options),
      sampling: {
        launches: options.launches,
        warmup: options.warmup,
        iterations: options.iters,
        batch: options.batch,
        check: options.check,
        timeoutS: options.timeout,
        seed: options.seed ?? randomInt(2 ** 32),
      },
    });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new CommandError(error.message, ['Next: a larger --factor or --step, or --sizes']);
  }
  requireMemory(plan, inventory);
  if (plan.points.length === 0) {
    const reason = plan.skipped[0]?.reason ?? 'the sweep has no sizes';
    throw new CommandError(`nothing to measure: ${reason}`, ['Next: a larger --min, or fewer --ranks']);
  }
  return { plan, inventory };
}
