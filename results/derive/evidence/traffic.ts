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

/** Bytes and messages counted while one configuration was measured, warm-up included, and the bytes that had to move. */
export interface TrafficCounts {
  /** Lowest number of payload bytes that all operations together must move between ranks; null if the algorithm is unknown. */
  expected: number | null;
  sent: number;
  received: number;
  messages: number;
  /**
   * Bytes that the TCP sockets of the ranks received, without those of a requested load over TCP. Null if a rank's count is
   * missing, or if ranks share a process.
   */
  own: number | null;
  /**
   * Number of the ranks' sockets that were closed during the blocks. Their bytes are lost, so with a number above 0 `own` is a
   * lower bound.
   */
  socketsGone: number;
  /**
   * Bytes received by each network interface: "eth0", with several hosts "gpu01/eth0". Hosts that share interfaces are listed
   * under the name of the first.
   */
  interfaces: Record<string, number>;
  /**
   * Bytes and messages that other groups sent while they were measured at the same time. They may have used the same interfaces.
   */
  beside: { sent: number; messages: number };
  /** Bytes and messages sent by other work that ran at the same time on request (`--beside`), over a transport of its own. */
  load: { sent: number; messages: number };
}

/**
 * Returns the traffic of one configuration in the form in which its result stores it. `mustMoveBytes` is null if the algorithm
 * is unknown; `sentBytes` is the bytes sent. `interfaces` has the bytes received by each network interface.
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
 * Sums the counters of all blocks of a cell. @param beside blocks of other groups of ranks that were measured at the same time
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
  // NCCL logs its algorithm only in the launch that attests; the other launches use the same one.
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
      // The ranks' processes also hold the sockets of the load.
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

/** Splits the name under which a run over several hosts counts an interface, "gpu01/eth0". */
export function hostInterface(key: string): { host: string; name: string } {
  const [host = '', name = ''] = key.split('/');
  return { host, name };
}

/**
 * Returns the bytes by interface with shared interfaces counted once. All host names of one machine read the same counters, so
 * only the largest of their counts is kept.
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
