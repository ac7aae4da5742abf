import { refuse } from '../../results/refusals/refusal.ts';
import { type TransportPlan, type TransportRow, transports } from '../../results/schema/index.ts';
import type { ParsedOptions } from '../options/parsed-options.ts';
import { type LinkProblem, linkModels, linkProblem, noLinkModel } from './emulators.ts';
import { ib } from './ib.ts';
import { ibgda } from './ibgda.ts';
import type { TransportOptions } from './options.ts';
import { transportOptionRows } from './options.ts';
import { isPlugin, plugin } from './plugin.ts';
import { sisci, softntb } from './sisci.ts';
import { socket } from './socket.ts';
import { overInterface, type PlanningTransport, type TransportPlanning } from './transport.ts';

export { fullName, isPlugin, pluginPath } from './plugin.ts';
export type { PlanningTransport } from './transport.ts';

type ParsedMedium = Pick<ParsedOptions<'sisciLibrary' | 'medium'>, 'where'>;

/**
 * Transports that define their own options, emulation, or rule for the hosts that they can connect. All others are never emulated,
 * and connect what the table `transports` says. Their only option is `--interface`, if they use a network interface.
 */
const specialTransports: readonly TransportPlanning[] = [socket, sisci, ib, ibgda, plugin];

const planned = ({ name, takesInterface, joins }: TransportRow): PlanningTransport => ({
  name,
  takesInterface,
  emulation: null,
  within: () => (joins === 'hosts' ? null : joins),
  options: (options) => (takesInterface ? overInterface(options) : {}),
  ...specialTransports.find((row) => row.name === name),
});

const rows: readonly PlanningTransport[] = transports.map(planned);

/** Planning data of the transport with this name: its options, and what it can connect; undefined if the name is unknown. */
export const transportNamed = (name: string): PlanningTransport | undefined =>
  rows.find((row) => row.name === (isPlugin(name) ? 'plugin' : name));

/** The options that apply to one transport, as agents receive them; {} if the transport is unknown. */
export const transportOptions = (name: string, options: TransportOptions): TransportPlan['options'] =>
  transportNamed(name)?.options(options, name) ?? {};

/**
 * Checks the link model of --link.
 * @param names names of the requested transports
 * @throws Refusal if no software device has the model, or if these transports take link models and none of their devices has it
 */
export function requireLink(options: TransportOptions, names: readonly string[] = []): void {
  const { link } = options;
  const problem = linkProblem(link) ?? otherDevice(options, names);
  if (problem !== null)
    throw refuse('no-such-link', { link, ...problem, allowed: transportOptionRows.link.allowed });
}

/**
 * Problem if the link model of --link exists, but none of the named transports uses the software device that has it: they would
 * ignore it. Null if one of them uses that device, if the link model is `none`, or if none of them takes a link model.
 * @param names names of the requested transports
 */
function otherDevice(options: TransportOptions, names: readonly string[]): LinkProblem | null {
  const taken = (link: string) =>
    names.flatMap((name) => transportOptions(name, { ...options, link }).link ?? []);
  const links = taken(options.link);
  if (options.link === noLinkModel || links.length === 0 || links.includes(options.link)) return null;
  const instead =
    linkModels.find((link) => link !== noLinkModel && taken(link).includes(link)) ?? noLinkModel;
  return { why: `${names.join(' and ')} would ignore it`, instead };
}

/**
 * Checks, without asking the hosts, that the transports can run on the medium of --medium; with "auto" nothing is checked.
 * @param names names of the requested transports
 * @param parsed the options as typed, from which the error quotes --medium and --sisci-library
 * @throws Refusal if --medium is "emulated" and a transport has no emulation, or if --sisci-library names a library of the other
 * medium
 */
export function requireMedium(
  options: TransportOptions,
  names: readonly string[],
  parsed: ParsedMedium,
): void {
  const { medium, sisciLibrary: library } = options;
  if (medium === 'auto') return;
  if (library !== null && (library === softntb) !== (medium === 'emulated')) {
    throw refuse('library-of-other-medium', {
      one: parsed.where('sisciLibrary'),
      other: `${parsed.where('medium')} ${medium}`,
      library,
    });
  }
  const transport = names.find((name) => transportNamed(name)?.emulation === null);
  if (medium !== 'emulated' || transport === undefined) return;
  const can = rows.filter(({ emulation }) => emulation !== null).map(({ name }) => name);
  throw refuse('no-emulation', { transport, can: shownNames(can) });
}

/** Transport names as users type them: "plugin" becomes "plugin:PATH", other names stay. */
export const shownNames = (names: readonly string[]): string[] =>
  names.map((name) => (name === 'plugin' ? 'plugin:PATH' : name));
