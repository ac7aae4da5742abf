import {
  type BlockRecord,
  evidenceKindOf,
  type OkCell,
  type PointPlan,
  type RunPlan,
  type TransportPlan,
  transportRow,
  workloadOf,
} from '../../schema/index.ts';
import { choicesOf } from '../cells/choices.ts';

/**
 * Bytes and messages counted while one configuration was measured, warm-up included, and the bytes that had to move. All are sums
 * over ranks or hosts and over launches. `sent`, `received` (bytes) and `messages` (sent) are the transport's own counts.
 */
export interface TrafficCounts {
  /** Lowest number of payload bytes that all operations together must move between ranks; null if the algorithm is unknown. */
  expected: number | null;
  sent: number;
  received: number;
  messages: number;
  /**
   * Bytes that the TCP sockets of the ranks received, without those of a requested load (`--beside`) over TCP. Null if the count of
   * a rank is missing, or if ranks share a process.
   */
  own: number | null;
  /**
   * Number of the ranks' TCP sockets that closed during the blocks. Their bytes are lost, so with a number above 0 `own` is a lower
   * bound.
   */
  socketsGone: number;
  /**
   * Bytes received by each network interface during all blocks of the configuration, traffic of other programs included: "eth0",
   * with several hosts "gpu01/eth0". Hosts that share interfaces appear once, under the name of the first of them.
   */
  interfaces: Record<string, number>;
  /**
   * Bytes and messages that other groups of ranks sent while they were measured at the same time. They may have used the same
   * interfaces.
   */
  beside: { sent: number; messages: number };
  /** Bytes and messages sent by other work that ran at the same time on request (`--beside`). */
  load: { sent: number; messages: number };
}

/**
 * Returns the traffic of one configuration in the form in which its result stores it: `mustMoveBytes`, null if the algorithm is
 * unknown; `sentBytes`; and `interfaces`, the bytes received by each network interface.
 */
export function trafficOf(
  plan: RunPlan,
  point: PointPlan,
  transport: TransportPlan,
  blocks: readonly BlockRecord[],
): NonNullable<OkCell['traffic']> {
  const { expected, sent, interfaces } = countTraffic(plan, point, transport, blocks, []);
  return { mustMoveBytes: expected, sentBytes: sent, interfaces };
}

/**
 * Returns the sums of the counters of all blocks of a cell. `expected` is null if the algorithm of one block is unknown.
 * @param beside blocks of other groups of ranks that were measured at the same time
 */
export function countTraffic(
  plan: RunPlan,
  point: PointPlan,
  transport: TransportPlan,
  blocks: readonly BlockRecord[],
  beside: readonly BlockRecord[],
): TrafficCounts {
  const seen: TrafficCounts = {
    expected: 0,
    sent: 0,
    received: 0,
    messages: 0,
    own: 0,
    socketsGone: 0,
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
  // NCCL logs its algorithm only in the launch of the trial `attest`; the other launches use the same algorithm.
  const told = evidenceKindOf(plan) === 'log' ? choicesOf(blocks).choice.algorithm : '';
  const row = workloadOf(point.workload);
  const place = { axes: point.axes, ranks: plan.ranks };
  // MPI does not report its algorithm, so the minimum over all algorithms is used.
  const isUntold = evidenceKindOf(plan) === 'sockets';
  const isTcp = transportRow(transport.name)?.evidence === 'interface';
  for (const block of blocks) {
    const algorithm = block.algorithm === '' ? told : block.algorithm;
    const moved = isUntold ? row.minMovedByAnyAlgorithm(place) : row.minMovedBytes(place, algorithm);
    seen.expected =
      moved === null || seen.expected === null ? null : seen.expected + moved * block.operations;
    for (const { moved } of block.beside ?? []) {
      seen.load.sent += moved.bytesSent;
      seen.load.messages += moved.messagesSent;
      // The sockets of the requested load belong to the ranks' processes, so their bytes are subtracted.
      if (isTcp && seen.own !== null) seen.own -= moved.bytesReceived;
    }
    for (const counter of block.counters) {
      seen.sent += counter.bytesSent;
      seen.received += counter.bytesReceived;
      seen.messages += counter.messagesSent;
      const own = counter.socketBytesReceived;
      seen.own = own === undefined || seen.own === null ? null : seen.own + own;
      seen.socketsGone += counter.socketsGone ?? 0;
    }
    for (const [name, bytes] of Object.entries(countedOnce(plan, block.interfaceBytes))) {
      seen.interfaces[name] = (seen.interfaces[name] ?? 0) + bytes;
    }
  }
  return seen;
}

/**
 * Splits the name of an interface in a run over several hosts, "gpu01/eth0", into host and interface. A key without a slash is
 * taken as the host, with the interface "".
 */
export function hostInterface(key: string): { host: string; name: string } {
  const [host = '', name = ''] = key.split('/');
  return { host, name };
}

/**
 * Returns the bytes by interface, with interfaces that several host names share counted once. All host names of one machine read
 * the same counters, so only the largest of their counts is kept.
 */
function countedOnce(
  { hosts }: RunPlan,
  interfaceBytes: BlockRecord['interfaceBytes'],
): BlockRecord['interfaceBytes'] {
  const firsts = new Map(
    hosts.flatMap(({ name, networkOf }) => (networkOf === undefined ? [] : [[name, networkOf]])),
  );
  if (firsts.size === 0) return interfaceBytes;
  const once: Record<string, number> = {};
  for (const [key, bytes] of Object.entries(interfaceBytes)) {
    const { host, name } = hostInterface(key);
    const own = `${firsts.get(host) ?? host}/${name}`;
    once[own] = Math.max(once[own] ?? 0, bytes);
  }
  return once;
}
