// What is asked of transports, in the words of the agent, and the refusals that all engines share.
import path from 'node:path';
import type { TransportCapability } from '../orchestration/protocol.ts';
import type { Inventory, TransportPlan } from '../results/schema/index.ts';
import { CommandError } from './exit.ts';
import type { Said } from './measuring-options.ts';
import { flags, linkModels, type Options } from './options/index.ts';

/** `plugin:` with its path made absolute, so that the plan means the same from any folder. */
export function fullName(name: string): string {
  return name.startsWith('plugin:') ? `plugin:${path.resolve(name.slice('plugin:'.length))}` : name;
}

/** Whose data an interface can be chosen for. */
const takesInterface = (name: string): boolean =>
  ['socket', 'ib', 'ibgda'].includes(name) || name.startsWith('plugin:');

/** @throws CommandError an interface that none of the transports goes over */
export function requireGoesOver(options: Options, said: Said): void {
  const option = said.get('interface');
  const { transport: names, inProcess } = options;
  if (option === undefined || option.isConfig || names === null) return;
  // Plugins are told by a variable, which threads of this process would share with it.
  if (names.some((name) => takesInterface(name) && !(inProcess && name !== 'socket'))) return;
  throw new CommandError(`${option.where} says nothing to ${names.join(', ')}`, [
    `  it is for socket, ib, ibgda and plugins${inProcess ? ', of which plugins need processes for ranks' : ''}: leave it out`,
  ]);
}

/** What a transport is told (native/transports/transport.h, TransportOptions); only what applies to it. */
export function transportOptions(name: string, options: Options): TransportPlan['options'] {
  const { interface: device, streams, link, fault, pathProof, sisciLibrary } = options;
  const over = device === null || !takesInterface(name) ? {} : { interface: device };
  if (name === 'socket') return { ...over, streams };
  const emulation = { link, ...(fault === null ? {} : { fault }), pathProof };
  if (name === 'sisci') return { ...emulation, ...(sisciLibrary === null ? {} : { library: sisciLibrary }) };
  if (name.startsWith('plugin:')) return { ...over, ...emulation, library: name.slice('plugin:'.length) };
  return over;
}

/**
 * What is said of a transport of the cpu engine over several hosts: asked alone, a host would take lo; together, each
 * takes its way to the others.
 */
export function detailOver(
  hosts: number,
  name: string,
  options: TransportPlan['options'],
  detail: string,
): string {
  return name === 'socket' && options.interface === undefined && hosts > 1
    ? `TCP between ${hosts} hosts`
    : detail;
}

/** @throws CommandError a link model that softntb does not have */
export function requireLink(link: string): void {
  if (linkModels.includes(link) || link.startsWith('custom:')) return;
  throw new CommandError(`--link ${link}: no such link model`, [`  allowed: ${flags.link.allowed}`]);
}

/** @throws CommandError */
export function requireInterface(
  name: string | null,
  inventory: Inventory,
  host: string = inventory.hostname,
): void {
  if (name === null || inventory.interfaces.some((device) => device.name === name)) return;
  throw new CommandError(`--interface ${name}: no such network interface on ${host}`, [
    `  allowed: ${inventory.interfaces.map((device) => device.name).join(', ')}`,
  ]);
}

/**
 * @param names of what was probed, as they were asked for
 * @param known all there are, with default options
 * @param host of several; `here` where it is the only one
 * @throws CommandError for the first that cannot run there, with reason and remedy
 */
export function requireAvailable(
  probed: readonly TransportCapability[],
  names: readonly string[],
  known: readonly TransportCapability[],
  host?: string,
): void {
  const index = probed.findIndex((transport) => !transport.available);
  const missing = probed[index];
  if (missing === undefined) return;
  const can = known
    .filter((transport) => transport.available)
    .map((transport) => (transport.medium === 'emulated' ? `${transport.name} (emulated)` : transport.name));
  const there = host === undefined ? 'here' : `on ${host}`;
  throw new CommandError(`transport ${names[index]} cannot run ${there}`, [
    ...[missing.reason, missing.remedy].filter((line) => line !== '').map((line) => `  ${line}`),
    `Transports that can run ${there}: ${can.length === 0 ? 'none' : can.join(', ')}. See: collbench transports --explain`,
  ]);
}
