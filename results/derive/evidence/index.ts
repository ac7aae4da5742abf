import {
  type BlockRecord,
  evidenceKindOf,
  type PointPlan,
  type RunPlan,
  type TransportPlan,
  transportRow,
  workloadOf,
} from '../../schema/index.ts';
import { bytesText } from '../../units.ts';
import { choicesOf } from '../choices.ts';
import { findCarrier } from './carrier.ts';
import { interfaceOf, overHosts, overInterface } from './interfaces.ts';
import { judgeMappedTraffic, judgeMemoryTraffic } from './memory.ts';
import { mpiEvidence } from './mpi.ts';
import { ncclEvidence } from './nccl.ts';
import { nvshmemEvidence } from './nvshmem.ts';
import { countTraffic, type TrafficCounts } from './traffic.ts';
import { type EvidenceVerdict, unprovenEvidence } from './verdicts.ts';

export { ncclEvidence } from './nccl.ts';
export { trafficOf } from './traffic.ts';
export type { EvidenceVerdict } from './verdicts.ts';

/**
 * Whether the bytes went where they were said to go, from what was counted around the blocks of one cell.
 * - socket: the interface received at least the payload that the algorithm must move, and not much more than that with its
 *   headers: what others could have sent is less than what must have passed; or the sockets of the ranks received it.
 * - sisci, ibgda, shm: the transport's own counters say so, and no network interface could have carried it: less passed all of
 *   them, or less reached the sockets of the ranks.
 * - plugins: an interface that received the payload, and not much more, or whose traffic the sockets of the ranks account
 *   for; contradicted only where an interface was asked for and did not. Nothing else is known of the way.
 * - engine nccl: see nccl.ts; engine nvshmem: nvshmem.ts; engine mpi: mpi.ts.
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
): EvidenceVerdict {
  if (plan.ranks < 2) return unprovenEvidence('a single rank moves nothing between ranks');
  const row = workloadOf(point.workload);
  if (evidenceKindOf(plan) === 'log') {
    const place = { axes: point.axes, ranks: plan.ranks };
    if (row.payloadBytes(place) === 0 && row.leastMovedAnyhow(place) !== null)
      return unprovenEvidence('no payload moves between ranks');
    return ncclEvidence(plan, point, transport, blocks);
  }
  if (evidenceKindOf(plan) === 'loads') {
    if (row.payloadBytes({ axes: point.axes, ranks: plan.ranks }) === 0)
      return unprovenEvidence('an empty message moves no payload');
    return nvshmemEvidence(plan, point, transport, blocks);
  }
  const seen = countTraffic(plan, point, transport, blocks, beside);
  if (seen.expected === null) return unprovenEvidence(`the traffic that the algorithm requires is not known`);
  if (seen.expected === 0) return unprovenEvidence('no payload moves between ranks');
  if (evidenceKindOf(plan) === 'sockets')
    return mpiEvidence(transport, { ...seen, expected: seen.expected }, interfaceOf(transport));
  const misnamed = otherAlgorithm(plan, point, transport, blocks) ?? otherProtocol(blocks);
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
      return judgeMemoryTraffic(plan, seen, seen.expected);
    case 'found':
      return findCarrier(plan, transport, seen, seen.expected);
    case 'mapped':
      return judgeMappedTraffic(blocks, seen, seen.expected);
    default:
      return unprovenEvidence(
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

/**
 * An algorithm that was asked for and not taken, in words, or null. What is made of several collectives takes it where it
 * is one of theirs; engine cuda takes another for sizes that the one asked for cannot have.
 */
function otherAlgorithm(
  { engine }: RunPlan,
  { workload }: PointPlan,
  { settings }: TransportPlan,
  blocks: readonly BlockRecord[],
): string | null {
  const asked = settings?.algo;
  const { algorithm } = choicesOf(blocks).choice;
  if (engine !== 'cpu' || workload !== 'collective') return null;
  if (asked === undefined || algorithm === '' || algorithm === asked) return null;
  return `ranks took the algorithm ${algorithm}, ${asked} was asked for`;
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
function counted(seen: TrafficCounts, expected: number): string | null {
  if (seen.sent >= expected && seen.received >= expected) return null;
  return `the transport counted ${bytesText(seen.sent)} sent and ${bytesText(seen.received)} received, expected ${bytesText(expected)}`;
}
