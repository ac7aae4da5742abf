import {
  type BlockRecord,
  type Evidence,
  evidenceKindOf,
  type OkCell,
  type PointPlan,
  type RunPlan,
  type TransportPlan,
  transportRow,
  workloadOf,
} from '../schema/index.ts';
import { bytesText } from '../units.ts';
import { choicesOf, launchPaths } from './choices.ts';
import { mpiEvidence } from './evidence-mpi.ts';
import { ncclEvidence } from './evidence-nccl.ts';
import { nvshmemEvidence } from './evidence-nvshmem.ts';
import { headersUpTo } from './wire.ts';

/** Of each machine: what our own control and an idle system send. */
const background = 64 * 1024;
/** An interface counts every process of its machine: of others and packets sent twice so much of the payload is let pass. */
const foreignShare = 0.25;
/** Headers per message that a transport may count as its own. */
const countedPerMessage = 512;

/** Evidence, and whether more passed the interface than the run can have caused. */
export type Judged = Evidence & { otherTraffic?: true };

interface Observed {
  /** Payload that the operations of all blocks must have moved between ranks, bytes; null for an unknown algorithm. */
  expected: number | null;
  sent: number;
  received: number;
  messages: number;
  /** Received by the sockets of the ranks' processes; null where that of one is not known, or ranks share a process. */
  own: number | null;
  /** Their sockets that closed meanwhile: where there is one, `own` is the least that was received. */
  gone: number;
  /** Bytes received per interface of the node. */
  interfaces: Record<string, number>;
  /** What groups that were measured at the same time counted as sent: it may have gone over the same interfaces. */
  beside: { sent: number; messages: number };
  /** The same of the load beside it, which has a transport of its own. */
  load: { sent: number; messages: number };
}

/**
 * Whether the bytes went where they were said to go, from what was counted around the blocks of one cell.
 * - socket: the interface received at least the payload that the algorithm must move, and not much more than that with its
 *   headers: what others could have sent is less than what must have passed; or the sockets of the ranks received it.
 * - sisci, ibgda, shm: the transport's own counters say so, and no network interface could have carried it: less passed all of
 *   them, or less reached the sockets of the ranks.
 * - plugins: an interface that received the payload, and not much more, or whose traffic the sockets of the ranks account
 *   for; contradicted only where an interface was asked for and did not. Nothing else is known of the way.
 * - engine nccl: see evidence-nccl.ts; engine nvshmem: evidence-nvshmem.ts; engine mpi: evidence-mpi.ts.
 * - any other: the counters of the transport alone prove nothing about the way, so it stays unproven.
 * `contradicted` only where bytes that must have passed did not.
 * @param beside blocks of other groups that were measured at the same time
 */
export function evidenceOf(
  plan: RunPlan,
  point: PointPlan,
  transport: TransportPlan,
  blocks: readonly BlockRecord[],
  beside: readonly BlockRecord[] = [],
): Judged {
  if (plan.ranks < 2) return unproven('a single rank moves nothing between ranks');
  const row = workloadOf(point.workload);
  if (evidenceKindOf(plan) === 'log') {
    const place = { axes: point.axes, ranks: plan.ranks };
    if (row.payloadBytes(place) === 0 && row.leastMovedAnyhow(place) !== null)
      return unproven('no payload moves between ranks');
    return ncclEvidence(plan, point, transport, blocks);
  }
  if (evidenceKindOf(plan) === 'loads') {
    if (row.payloadBytes({ axes: point.axes, ranks: plan.ranks }) === 0)
      return unproven('an empty message moves no payload');
    return nvshmemEvidence(plan, point, transport, blocks);
  }
  const seen = observe(plan, point, transport, blocks, beside);
  if (seen.expected === null) return unproven(`the traffic that the algorithm requires is not known`);
  if (seen.expected === 0) return unproven('no payload moves between ranks');
  if (evidenceKindOf(plan) === 'sockets')
    return mpiEvidence(transport, { ...seen, expected: seen.expected }, interfaceOf(transport));
  const misnamed = otherProtocol(blocks);
  if (misnamed !== null) return { verdict: 'contradicted', reason: misnamed };
  const kind = kindOf(transport);
  // What was handed to a plugin is collbench's own count and proves nothing, either way.
  const missing = kind === 'found' ? null : counted(seen, seen.expected);
  if (missing !== null) return { verdict: 'contradicted', reason: missing };
  switch (kind) {
    case 'interface':
      if (plan.hosts.length > 1) return overHosts(plan, transport, seen, seen.expected);
      return overInterface(interfaceOf(transport), seen, seen.expected);
    case 'beside':
      return besideInterfaces(seen, seen.expected);
    case 'found':
      return foundOver(plan, transport, seen, seen.expected);
    case 'mapped':
      return betweenMaps(blocks, seen, seen.expected);
    default:
      return unproven(
        `${transport.name} counted ${bytesText(seen.sent)} sent, expected ${bytesText(seen.expected)}; the path was not observed`,
      );
  }
}

/**
 * A plugin over softmlx5 is counted by that card (native/transports/plugin/software_card.h), which is no count of what
 * collbench handed over.
 */
const kindOf = ({ name, medium, detail }: TransportPlan) =>
  medium === 'emulated' && /\bover softmlx5\b/.test(detail) && transportRow(name)?.evidence === 'found'
    ? 'beside'
    : transportRow(name)?.evidence;

const unproven = (reason: string): Evidence => ({ verdict: 'unproven', reason });

const disturbed = (numbers: string): Judged => ({ ...unproven(numbers), otherTraffic: true });

/** The numbers behind the evidence. */
export function trafficOf(
  plan: RunPlan,
  point: PointPlan,
  transport: TransportPlan,
  blocks: readonly BlockRecord[],
): NonNullable<OkCell['traffic']> {
  const { expected, sent, interfaces } = observe(plan, point, transport, blocks, []);
  return { mustMoveBytes: expected, sentBytes: sent, interfaces };
}

function observe(
  plan: RunPlan,
  point: PointPlan,
  transport: TransportPlan,
  blocks: readonly BlockRecord[],
  beside: readonly BlockRecord[],
): Observed {
  const seen: Observed = {
    expected: 0,
    sent: 0,
    received: 0,
    messages: 0,
    own: 0,
    gone: 0,
    interfaces: {},
    beside: { sent: 0, messages: 0 },
    load: { sent: 0, messages: 0 },
  };
  for (const { counters, beside: loads = [] } of beside) {
    for (const { bytesSent, messagesSent } of counters) {
      seen.beside.sent += bytesSent;
      seen.beside.messages += messagesSent;
    }
    for (const { moved } of loads) {
      seen.load.sent += moved.bytesSent;
      seen.load.messages += moved.messagesSent;
    }
  }
  // NCCL tells in the launch that attests what it takes in the others, too.
  const told = evidenceKindOf(plan) === 'log' ? choicesOf(blocks).choice.algorithm : '';
  const row = workloadOf(point.workload);
  const place = { axes: point.axes, ranks: plan.ranks };
  // An MPI does not say which algorithm it takes.
  const isUntold = evidenceKindOf(plan) === 'sockets';
  const isTcp = transportRow(transport.name)?.evidence === 'interface';
  for (const block of blocks) {
    const algorithm = block.algorithm === '' ? told : block.algorithm;
    const moved = isUntold ? row.leastMovedAnyhow(place) : row.leastMovedBytes(place, algorithm);
    seen.expected =
      moved === null || seen.expected === null ? null : seen.expected + moved * block.operations;
    for (const { moved } of block.beside ?? []) {
      seen.load.sent += moved.bytesSent;
      seen.load.messages += moved.messagesSent;
      // The processes of the ranks hold its sockets, too.
      if (isTcp && seen.own !== null) seen.own -= moved.bytesReceived;
    }
    for (const counter of block.counters) {
      seen.sent += counter.bytesSent;
      seen.received += counter.bytesReceived;
      seen.messages += counter.messagesSent;
      const own = counter.socketBytesReceived;
      seen.own = own === undefined || seen.own === null ? null : seen.own + own;
      seen.gone += counter.socketsGone ?? 0;
    }
    for (const [name, bytes] of Object.entries(block.interfaceBytes)) {
      seen.interfaces[name] = (seen.interfaces[name] ?? 0) + bytes;
    }
  }
  return seen;
}

/** What speaks against the protocol of engine cpu that ranks name, or null. An operation is one message at least. */
function otherProtocol(blocks: readonly BlockRecord[]): string | null {
  for (const { protocol, counters: all, operations } of blocks) {
    const flagged = all.reduce((sum, { flaggedSent = 0 }) => sum + flaggedSent, 0);
    if (protocol === 'll' ? flagged < operations : protocol === 'simple' && flagged > 0)
      return `ranks named the protocol ${protocol}, and ${flagged} messages of ${operations} operations carried flags`;
  }
  return null;
}

/** What is wrong with the transport's own counters, or null. They may hold headers, never less than the payload. */
function counted(seen: Observed, expected: number): string | null {
  if (seen.sent >= expected && seen.received >= expected) return null;
  return `the transport counted ${bytesText(seen.sent)} sent and ${bytesText(seen.received)} received, expected ${bytesText(expected)}`;
}

function interfaceOf(transport: TransportPlan): string {
  const named = transport.options.interface;
  if (typeof named === 'string' && named !== '') return named;
  return /\bover (\S+)/.exec(transport.detail)?.[1] ?? 'lo';
}

function overInterface(name: string, seen: Observed, expected: number): Judged {
  const carried = seen.interfaces[name];
  if (carried === undefined) return unproven(`interface ${name} was not watched`);
  const judged = overWire(name, carried, seen, expected, name === 'lo', 1);
  const other = busiest(seen.interfaces, name);
  if (judged.verdict !== 'contradicted' || other === null) return judged;
  return { ...judged, reason: `${judged.reason}; ${other[0]} carried ${bytesText(other[1])}` };
}

/** What interfaces counted, in parts: payload, its headers at most, and the rest, which is of other processes. */
function overWire(
  names: string,
  carried: number,
  seen: Observed,
  expected: number,
  isLoopback: boolean,
  hosts: number,
): Judged {
  const { beside, load: asked } = seen;
  const headers = headersUpTo(seen.messages, expected, isLoopback);
  const whole = ({ sent, messages }: Observed['beside']): number =>
    sent + (sent === 0 ? 0 : headersUpTo(messages, sent, isLoopback));
  const [groups, load] = [whole(beside), whole(asked)];
  const parts = [
    `${bytesText(expected)} payload`,
    `up to ${bytesText(headers)} headers`,
    ...(groups === 0 ? [] : [`up to ${bytesText(groups)} of the groups beside it`]),
    ...(load === 0 ? [] : [`up to ${bytesText(load)} of the traffic requested beside it`]),
  ];
  const numbers = `${names} carried ${bytesText(carried)}, expected ${andText(parts)}`;
  if (carried < expected) return { verdict: 'contradicted', reason: numbers };
  const rest = carried - expected - headers - groups - load;
  if (rest <= 0) return { verdict: 'confirmed', reason: numbers };
  const others = `${bytesText(rest)} more: ${names} also ${hosts > 1 ? 'count' : 'counts'} other processes`;
  if (rest > foreignShare * (expected + beside.sent + asked.sent) + background * hosts) {
    const isOwn = seen.own !== null && seen.own >= expected;
    if (!isOwn) return disturbed(`${numbers}; ${others}, which hide the share of this run`);
    const own = `the sockets of the ranks received ${bytesText(seen.own ?? 0)} of it`;
    return { verdict: 'confirmed', reason: `${numbers}; ${own}; ${others}` };
  }
  return { verdict: 'confirmed', reason: `${numbers}; ${others}` };
}

/** Traffic of others may be as much: a smaller payload on an interface proves nothing of a way that nobody names. */
const tellingBytes = 4 * background;

/** A way that nobody names: an interface that carried the payload, or no answer. */
function foundOver(plan: RunPlan, transport: TransportPlan, seen: Observed, expected: number): Judged {
  const hosts = plan.hosts.length;
  const named = transport.options.interface;
  const isNamed =
    (typeof named === 'string' && named !== '') || (hosts > 1 && plan.hosts.every(({ iface }) => iface));
  const judged = hosts > 1 ? overHosts(plan, transport, seen, expected) : overBusiest(named, seen, expected);
  if (judged.verdict === 'contradicted' && !isNamed)
    return unproven(`${judged.reason}: the plugin used another way, which was not observed`);
  // Sockets of ranks on several hosts carry their barriers, too.
  const isOwn = hosts === 1 && seen.own !== null && seen.own >= expected;
  if (judged.verdict !== 'confirmed' || isOwn || expected >= tellingBytes * hosts) return judged;
  return unproven(`${judged.reason}; too little to tell from traffic of others`);
}

function overBusiest(
  named: TransportPlan['options'][string] | undefined,
  seen: Observed,
  expected: number,
): Judged {
  const name = typeof named === 'string' && named !== '' ? named : busiest(seen.interfaces, null)?.[0];
  if (name === undefined) return unproven('no network interface was watched');
  return overInterface(name, seen, expected);
}

const andText = (parts: readonly string[]): string => {
  const last = parts.at(-1) ?? '';
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
};

/**
 * Several hosts: what was received on the interface of each, and on lo for ranks that share a host. Interfaces are told
 * apart as "host/name"; where no interface was asked for, the one that carried most on its host is meant.
 */
function overHosts(plan: RunPlan, transport: TransportPlan, seen: Observed, expected: number): Judged {
  let carried = 0;
  const used = new Set<string>();
  for (const { name: host, iface } of plan.hosts) {
    const own = Object.fromEntries(
      Object.entries(seen.interfaces).flatMap(([key, bytes]) =>
        key.startsWith(`${host}/`) ? [[key.slice(host.length + 1), bytes]] : [],
      ),
    );
    const asked = iface ?? transport.options.interface;
    const name = typeof asked === 'string' && asked !== '' ? asked : busiest(own, 'lo')?.[0];
    if (name === undefined || own[name] === undefined)
      return unproven(`no network interface of ${host} was watched`);
    used.add(name);
    carried += own[name] + (name === 'lo' ? 0 : (own.lo ?? 0));
  }
  const names = `${[...used].join(' and ')} and lo of ${plan.hosts.length} hosts`;
  return overWire(names, carried, seen, expected, false, plan.hosts.length);
}

function besideInterfaces(seen: Observed, expected: number): Evidence {
  const own = `the transport moved ${bytesText(seen.sent)}, expected ${bytesText(expected)}`;
  const most = expected * 1.25 + seen.messages * countedPerMessage + background;
  if (seen.sent > most) return unproven(own);
  const other = busiest(seen.interfaces, null);
  if (other === null) return unproven(`${own}; no network interface was watched`);
  const [name, carried] = other;
  if (carried >= expected && seen.own !== null && seen.gone === 0 && seen.own < expected) {
    return {
      verdict: 'confirmed',
      reason: `${own}; ${name} carried ${bytesText(carried)}, of which the ranks received no more than ${bytesText(seen.own)}`,
    };
  }
  if (carried >= expected) {
    return unproven(`${own}, but ${name} carried ${bytesText(carried)} at the same time, enough to hide it`);
  }
  const others =
    carried === 0
      ? 'no network interface received a byte'
      : `${name} carried no more than ${bytesText(carried)}`;
  return { verdict: 'confirmed', reason: `${own}; ${others}` };
}

/** Kernels store where the ranks' memory is mapped and count what they stored; no way else is open to them. */
function betweenMaps(blocks: readonly BlockRecord[], seen: Observed, expected: number): Evidence {
  const own = `the kernels stored ${bytesText(seen.sent)}, expected ${bytesText(expected)}`;
  const launches = [...launchPaths(blocks).values()];
  const isMapped = launches.length > 0 && launches.every((paths) => (paths['P2P/IPC'] ?? 0) > 0);
  if (!isMapped) return unproven(`${own}; no rank reported that it maps the memory of all others`);
  return { verdict: 'confirmed', reason: `${own}; every rank maps the memory of all others, no network` };
}

function busiest(interfaces: Record<string, number>, except: string | null): [string, number] | null {
  const others = Object.entries(interfaces).filter(([name]) => name !== except);
  return others.reduce<[string, number] | null>(
    (most, one) => (most === null || one[1] > most[1] ? one : most),
    null,
  );
}
