import { addTo } from '../../collections.ts';
import type { Evidence, RunPlan, TransportPlan } from '../../schema/index.ts';
import { bytesText, joinWords, plural } from '../../units.ts';
import { hostInterface, type TrafficCounts } from './traffic.ts';

/**
 * Bytes per machine that an idle system and the control connection of collbench send while a cell is measured. Fewer bytes do not
 * count as traffic.
 */
export const backgroundBytes = 64 * 1024;
/**
 * Bytes beyond payloads and headers, as a share of the payloads, up to which (plus `backgroundBytes` per machine) resent packets
 * and small traffic of other processes explain the surplus.
 */
const foreignShare = 0.25;

/** Returns the network interface that the user requested for a transport, else the one in its description, else "lo". */
export function interfaceOf(transport: TransportPlan): string {
  const named = transport.options.interface;
  if (typeof named === 'string' && named !== '') return named;
  return transport.detail.networkInterface ?? 'lo';
}

/**
 * Judges, for ranks of one machine, whether the named interface carried the bytes that the ranks had to exchange; `unproven` if the
 * bytes on it were not recorded. A contradiction also names the busiest other interface.
 * @param name name of the interface
 * @param expected payload bytes that must have moved
 */
export function overInterface(name: string, seen: TrafficCounts, expected: number): EvidenceVerdict {
  const carried = seen.interfaces[name];
  if (carried === undefined) return unproven(`interface ${name} was not watched`);
  const judged = overWire(name, carried, seen, expected, name === 'lo', 1);
  const other = busiestInterface(seen.interfaces, name);
  if (judged.verdict !== 'contradicted' || other === null) return judged;
  return { ...judged, reason: `${judged.reason}; ${other[0]} carried ${bytesText(other[1])}` };
}

/**
 * Compares the bytes that interfaces carried with the payload, its largest possible headers, and what other groups and a requested
 * load sent at the same time. Fewer bytes than the payload contradict. A surplus is attributed to other processes up to
 * `foreignShare` of all these payloads plus `backgroundBytes` per machine. A larger one is `unproven` as other traffic, unless the
 * ranks' own sockets received the payload.
 * @param names names of the interfaces, for sentences
 * @param carried bytes that the interfaces received
 * @param expected payload bytes that must have moved
 * @param isLoopback true if the interface is lo
 * @param hosts number of machines whose interfaces were added up
 */
function overWire(
  names: string,
  carried: number,
  seen: TrafficCounts,
  expected: number,
  isLoopback: boolean,
  hosts: number,
): EvidenceVerdict {
  const { beside, load: asked } = seen;
  const headers = headersUpTo(seen.messages, expected, isLoopback);
  const whole = ({ sent, messages }: TrafficCounts['beside']): number =>
    sent + (sent === 0 ? 0 : headersUpTo(messages, sent, isLoopback));
  const [groups, load] = [whole(beside), whole(asked)];
  const parts = [
    `${bytesText(expected)} payload`,
    `up to ${bytesText(headers)} headers`,
    ...(groups === 0 ? [] : [`up to ${bytesText(groups)} of the groups beside it`]),
    ...(load === 0 ? [] : [`up to ${bytesText(load)} of the traffic requested beside it`]),
  ];
  const numbers = `${names} carried ${bytesText(carried)}, expected ${andText(parts)}`;
  if (carried < expected) return contradicted(numbers);
  const rest = carried - expected - headers - groups - load;
  if (rest <= 0) return confirmed(numbers);
  const others = `${bytesText(rest)} more: ${names} also ${hosts > 1 ? 'count' : 'counts'} other processes`;
  if (rest > foreignShare * (expected + beside.sent + asked.sent) + backgroundBytes * hosts) {
    const isOwn = seen.own !== null && seen.own >= expected;
    if (!isOwn) return otherTrafficEvidence(`${numbers}; ${others}, which hide the share of this run`);
    const own = `the sockets of the ranks received ${bytesText(seen.own ?? 0)} of it`;
    return confirmed(`${numbers}; ${own}; ${others}`);
  }
  return confirmed(`${numbers}; ${others}`);
}

const andText = (parts: readonly string[]): string => {
  const last = parts.at(-1) ?? '';
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
};

/** Hosts that share the same network interfaces, such as containers of one machine. Usually each host is alone in its group. */
interface SharedInterfaces {
  hosts: RunPlan['hosts'];
  /** Bytes received by the interfaces of these hosts while the cell was measured, by interface name. */
  own: Record<string, number>;
}

/**
 * Groups the hosts of a run by shared network interfaces (`networkOf` in the plan), with the bytes that each interface received
 * while the cell was measured.
 */
function networksOf(plan: RunPlan, { interfaces }: TrafficCounts): SharedInterfaces[] {
  const networks = new Map<string, RunPlan['hosts']>();
  for (const host of plan.hosts) addTo(networks, host.networkOf ?? host.name, host);
  return [...networks].map(([first, hosts]) => ({
    hosts,
    own: Object.fromEntries(
      Object.entries(interfaces).flatMap(([key, bytes]) => {
        const { host, name } = hostInterface(key);
        return host === first ? [[name, bytes]] : [];
      }),
    ),
  }));
}

/** Returns where the ranks ran, for sentences: "2 hosts"; "1 machine, named as 2 hosts". */
function whereText(networks: readonly SharedInterfaces[], hosts: number): string {
  const all = plural(hosts, 'host');
  return networks.length === hosts ? all : `${plural(networks.length, 'machine')}, named as ${all}`;
}

/** Bytes that the interfaces of a transport received on all hosts while a cell was measured. */
export interface CarriedBytes {
  /** Names of the interfaces, for sentences: "lo", "eth0 and lo of 2 hosts". */
  names: string;
  /** Sum over the interfaces, warm-up and traffic of other programs included. */
  bytes: number;
  /** Number of machines with network interfaces of their own; several host names of one machine count once. */
  networks: number;
}

/** Returns the bytes received on the interfaces of a transport over TCP; `unproven` evidence if an interface was not watched. */
export function carriedBytes(
  plan: RunPlan,
  transport: TransportPlan,
  seen: TrafficCounts,
): CarriedBytes | Evidence {
  if (plan.hosts.length > 1) return carriedBetweenHosts(plan, transport, seen);
  const names = interfaceOf(transport);
  const bytes = seen.interfaces[names];
  return bytes === undefined ? unproven(`interface ${names} was not watched`) : { names, bytes, networks: 1 };
}

/**
 * Returns the bytes received on the interface of each machine, plus those on its lo, which ranks of one machine use. If no
 * interface was requested, each machine's busiest one other than lo is used. The result is `unproven` evidence if the interface of
 * a machine was not watched.
 */
function carriedBetweenHosts(
  plan: RunPlan,
  transport: TransportPlan,
  seen: TrafficCounts,
): CarriedBytes | Evidence {
  let bytes = 0;
  const used = new Set<string>();
  const networks = networksOf(plan, seen);
  for (const { hosts, own } of networks) {
    const asked = hosts
      .map(({ iface }) => iface ?? transport.options.interface)
      .filter((name): name is string => typeof name === 'string' && name !== '');
    const names = new Set(asked.length > 0 ? asked : [busiestInterface(own, 'lo')?.[0] ?? '']);
    for (const name of names) {
      if (own[name] === undefined) return unproven(`no network interface of ${hosts[0]?.name} was watched`);
      used.add(name);
      bytes += own[name];
    }
    if (!names.has('lo')) bytes += own.lo ?? 0;
  }
  const names = `${joinWords([...used.add('lo')])} of ${whereText(networks, plan.hosts.length)}`;
  return { names, bytes, networks: networks.length };
}

/**
 * Judges a run over several hosts by the bytes that their interfaces received.
 * @param expected payload bytes that must have moved between hosts
 */
export function overHosts(
  plan: RunPlan,
  transport: TransportPlan,
  seen: TrafficCounts,
  expected: number,
): EvidenceVerdict {
  const carried = carriedBetweenHosts(plan, transport, seen);
  if ('verdict' in carried) return carried;
  return overWire(carried.names, carried.bytes, seen, expected, false, carried.networks);
}

/**
 * Returns the highest number of bytes that can have passed a network, with the name of the interface, or of several hosts a text
 * for sentences ("interfaces of 2 hosts"). Null if the interfaces of a host were not read. One host: its busiest interface, lo
 * included. Several: the sum over machines of the busiest interface plus lo. Further interfaces are not added, because bridges and
 * VLANs may count a packet again.
 */
export function maxNetworkTraffic(plan: RunPlan, seen: TrafficCounts): [string, number] | null {
  if (plan.hosts.length === 1) return busiestInterface(seen.interfaces, null);
  const networks = networksOf(plan, seen);
  if (networks.some(({ own }) => Object.keys(own).length === 0)) return null;
  const bytes = networks.map(({ own }) => (busiestInterface(own, 'lo')?.[1] ?? 0) + (own.lo ?? 0));
  return [
    `interfaces of ${whereText(networks, plan.hosts.length)}`,
    bytes.reduce((sum, one) => sum + one, 0),
  ];
}

/**
 * Returns the name of the interface with most bytes, and these bytes; null if there is none. The interface `except` is left out
 * (null = none).
 * @param interfaces bytes by name of the interface
 */
export function busiestInterface(
  interfaces: Record<string, number>,
  except: string | null,
): [string, number] | null {
  const others = Object.entries(interfaces).filter(([name]) => name !== except);
  return others.reduce<[string, number] | null>(
    (most, one) => (most === null || one[1] > most[1] ? one : most),
    null,
  );
}
// Upper bounds of the headers that TCP and the transport add to payload, to interpret the byte counts of interfaces.
/** Header bytes of one packet: Ethernet 14, IPv6 40, TCP with timestamps 32 (RFC 7323); the sum of 86. */
const packetHeaderBytes = 86;
/** Bytes of collbench's own header before each message (native/transports/socket/wire.h). */
const messageHeaderBytes = 16;
/**
 * Payload bytes of one packet: with the MTU of lo (65536) if `isLoopback`, else with the usual MTU of 1500. Larger MTUs need fewer
 * packets.
 */
const packetPayloadBytes = (isLoopback: boolean): number => (isLoopback ? 65464 : 1428);
/**
 * Returns the highest number of header and acknowledgement bytes for a number of messages. Each packet is assumed to be
 * acknowledged by a packet of its own.
 * @param payloadBytes payload of all messages together
 * @param isLoopback true if the messages pass lo, whose packets are larger than those of other interfaces
 */
function headersUpTo(messages: number, payloadBytes: number, isLoopback: boolean): number {
  const packets = messages + Math.ceil(payloadBytes / packetPayloadBytes(isLoopback));
  return messages * messageHeaderBytes + 2 * packets * packetHeaderBytes;
}

/**
 * Verdict on which path the bytes took. `otherTraffic` is set if an interface carried so many more bytes than the run can have
 * caused that the bytes of the run cannot be told apart.
 */
export type EvidenceVerdict = Evidence & { otherTraffic?: true };

export const confirmed = (reason: string): Evidence => ({ verdict: 'confirmed', reason });
export const unproven = (reason: string): Evidence => ({ verdict: 'unproven', reason });
export const contradicted = (reason: string): Evidence => ({ verdict: 'contradicted', reason });

/**
 * Returns the verdict `unproven` for an interface on which other processes moved so many bytes that the bytes of the run cannot be
 * told apart.
 * @param numbers the counted bytes as text
 */
const otherTrafficEvidence = (numbers: string): EvidenceVerdict => ({
  ...unproven(numbers),
  otherTraffic: true,
});
