import { SocketAddress } from 'node:net';
import { addTo } from '../../results/collections.ts';
import { HostsError } from './error.ts';
import type { HostSpec } from './host.ts';

/** A host, and the position in the text where it was named, in characters from 0. */
export interface HostPosition {
  spec: HostSpec;
  offset: number;
}

/**
 * Returns a text that is equal for all spellings of the same address: upper and lower case of names, short and long
 * forms of IPv6.
 */
function addressKey(address: string): string {
  if (!address.includes(':')) return address.toLowerCase();
  const [plain = '', zone = ''] = address.split('%');
  return `${new SocketAddress({ address: plain, family: 'ipv6' }).address}%${zone}`;
}

/**
 * Merges two mentions of a host with the same port into one, and returns it: their slots are added.
 * @throws HostsError if users or interfaces differ, or one of the mentions gives no slots
 */
function join(first: HostSpec, { spec, offset }: HostPosition): HostSpec {
  const { name } = spec;
  for (const [key, word] of [
    ['user', 'user'],
    ['iface', 'interface'],
  ] as const) {
    if ((first[key] ?? null) === (spec[key] ?? null)) continue;
    const [one, other] = [first[key] ?? 'none said', spec[key] ?? 'none said'];
    throw new HostsError(`${name} is named twice, with another ${word} (${one}; ${other})`, offset);
  }
  if (first.slots === null || spec.slots === null) {
    throw new HostsError(
      `${name} is named twice; that is allowed only if both give slots, which are added`,
      offset,
      `write ${name}:slots=N once`,
    );
  }
  return { ...first, slots: first.slots + spec.slots };
}

/**
 * Merges all mentions of one address into one host per port, in the order of first mention. If there are several
 * ports, the hosts get the names `name:port`.
 * @param places mentions of the address, at least one
 * @throws HostsError if settings contradict each other, or only some mentions have a port
 */
function joinByPort(places: readonly HostPosition[]): HostSpec[] {
  const byPort = new Map<number | null, HostSpec>();
  for (const found of places) {
    const { name, port } = found.spec;
    const same = byPort.get(port);
    byPort.set(port, same === undefined ? found.spec : join(same, found));
    if (byPort.size > 1 && byPort.has(null)) {
      throw new HostsError(
        `${name} is named once with a port and once without, which may be the same`,
        found.offset,
        `write the port in all places, as in ${name}:port=22`,
      );
    }
  }
  const hosts = [...byPort.values()];
  return hosts.length === 1 ? hosts : hosts.map((host) => ({ ...host, name: `${host.name}:${host.port}` }));
}

/**
 * Merges hosts that are named several times, in the order of first mention. Slots for the same address and port are added; a host
 * that is named twice must give its slots each time. Several ports of one address are separate hosts, named `name:port`.
 * @param found hosts as mentioned, in the order of the text
 * @throws HostsError if settings of a host contradict each other, it is named again and lacks slots, or only some of its mentions
 * have a port
 */
export function mergeHosts(found: readonly HostPosition[]): HostSpec[] {
  const places = new Map<string, HostPosition[]>();
  for (const one of found) addTo(places, addressKey(one.spec.address), one);
  return [...places.values()].flatMap(joinByPort);
}
