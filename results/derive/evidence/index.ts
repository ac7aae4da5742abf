import {
  appliesFixedChoice,
  type BlockRecord,
  engineRow,
  evidenceKindOf,
  type PointPlan,
  type RunPlan,
  type TransportPlan,
  transportRow,
  workloadOf,
} from '../../schema/index.ts';
import { bytesText } from '../../units.ts';
import { choicesOf, launchPaths } from '../cells/choices.ts';
import { findCarrier } from './carrier.ts';
import {
  carriedBytes,
  contradicted,
  type EvidenceVerdict,
  interfaceOf,
  overHosts,
  overInterface,
  unproven,
} from './interfaces.ts';
import { judgeMappedTraffic, judgeMemoryTraffic } from './memory.ts';
import { mpiEvidence } from './mpi.ts';
import { ncclEvidence } from './nccl.ts';
import { nvshmemEvidence } from './nvshmem.ts';
import { countTraffic, type TrafficCounts } from './traffic.ts';

export type { EvidenceVerdict } from './interfaces.ts';
export { ncclEvidence } from './nccl.ts';
export { trafficOf } from './traffic.ts';

/**
 * Judges by the counters around the blocks of one cell whether the bytes used the requested transport. `contradicted` requires that
 * bytes that must have moved did not, or that ranks did something else than requested.
 * - socket: the interface received at least the payload that the algorithm must move, and little more than this with headers, so
 * that other traffic cannot explain it; or the sockets of the ranks received the payload.
 * - sisci, ibgda, shm: the transport's own counters show the payload, and no network can have carried it: less than the payload
 * passed the interfaces (maxNetworkTraffic()), or reached the sockets of the ranks.
 * - p2p of engine cuda: ranks of every launch reported that they map the memory of all others; otherwise `unproven`.
 * - plugins: an interface received the payload and little more, or the sockets of the ranks account for its traffic. Contradicted
 * only if an interface was requested and did not carry it, since the plugin's path is otherwise unknown.
 * - engine nccl: see nccl.ts; engine nvshmem: nvshmem.ts; engine mpi: mpi.ts.
 * - engine cpu: another algorithm than requested, or messages that do not match the reported protocol, contradict.
 * - any other transport: its own counters alone do not prove the path, so the evidence is `unproven`. The evidence is also
 * `unproven` with one rank, without payload, and if the bytes that the algorithm must move are not known.
 * @param beside blocks of other groups of ranks that were measured at the same time
 */
export function evidenceOf(
  plan: RunPlan,
  point: PointPlan,
  transport: TransportPlan,
  blocks: readonly BlockRecord[],
  beside: readonly BlockRecord[] = [],
): EvidenceVerdict {
  if (plan.ranks < 2) return unproven('a single rank moves nothing between ranks');
  const row = workloadOf(point.workload);
  if (evidenceKindOf(plan) === 'log') {
    const place = { axes: point.axes, ranks: plan.ranks };
    if (row.payloadBytes(place) === 0 && row.minMovedByAnyAlgorithm(place) !== null)
      return unproven('no payload moves between ranks');
    return ncclEvidence(plan, point, transport, blocks);
  }
  if (evidenceKindOf(plan) === 'loads') {
    if (row.payloadBytes({ axes: point.axes, ranks: plan.ranks }) === 0)
      return unproven('an empty message moves no payload');
    return nvshmemEvidence(plan, point, transport, blocks);
  }
  const seen = countTraffic(plan, point, transport, blocks, beside);
  if (seen.expected === null) return unproven(`the traffic that the algorithm requires is not known`);
  if (seen.expected === 0) return unproven('no payload moves between ranks');
  if (evidenceKindOf(plan) === 'sockets')
    return mpiEvidence(
      transport,
      { ...seen, expected: seen.expected },
      carriedBytes(plan, transport, seen),
      launchPaths(blocks),
    );
  const misnamed = otherAlgorithm(plan, point, transport, blocks) ?? otherProtocol(blocks);
  if (misnamed !== null) return contradicted(misnamed);
  const kind = kindOf(transport);
  // Bytes handed to a plugin are collbench's own count, so they prove nothing about the path.
  const missing = kind === 'found' ? null : missingBytesSentence(seen, seen.expected);
  if (missing !== null) return contradicted(missing);
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
      return unproven(
        `${transport.name} counted ${bytesText(seen.sent)} sent, expected ${bytesText(seen.expected)}; the path was not observed`,
      );
  }
}

/**
 * Returns which rule of evidence applies to the transport, as the table of transports says; undefined for a transport that the
 * table does not contain. Exception: a plugin over the software card softmlx5 is judged by the byte counter of that card
 * (`beside`), because the card counts independently of collbench (native/transports/plugin/software_card.h).
 */
const kindOf = ({ name, medium, detail }: TransportPlan) =>
  medium === 'emulated' && detail.softwareCard === 'softmlx5' && transportRow(name)?.evidence === 'found'
    ? 'beside'
    : transportRow(name)?.evidence;

/**
 * Returns a sentence if ranks report another algorithm than requested, else null; also null if they report none. Only workloads to
 * which a requested algorithm applies are judged, and only engine cpu, whose algorithms are collbench's own: engine cuda, for
 * example, replaces a requested algorithm that does not support the size.
 */
function otherAlgorithm(
  { engine }: RunPlan,
  { workload }: PointPlan,
  { settings }: TransportPlan,
  blocks: readonly BlockRecord[],
): string | null {
  const asked = settings?.algo;
  const { algorithm } = choicesOf(blocks).choice;
  if (engineRow({ engine }).isEmbedded !== true || !appliesFixedChoice(workload)) return null;
  if (asked === undefined || algorithm === '' || algorithm === asked) return null;
  return `ranks took the algorithm ${algorithm}, ${asked} was asked for`;
}

/**
 * Returns a sentence if the number of messages with flags contradicts the protocol that the ranks report, else null. A flag in the
 * message tells the receiver that the data arrived: protocol ll sends at least one such message in each operation, protocol simple
 * none.
 */
function otherProtocol(blocks: readonly BlockRecord[]): string | null {
  for (const { protocol, counters: all, operations } of blocks) {
    const flagged = all.reduce((sum, { flaggedSent = 0 }) => sum + flaggedSent, 0);
    if (protocol === 'll' ? flagged < operations : protocol === 'simple' && flagged > 0)
      return `ranks named the protocol ${protocol}, and ${flagged} messages of ${operations} operations carried flags`;
  }
  return null;
}

/** Returns a sentence if the transport counted fewer bytes sent or received than must move (`expected`, bytes); otherwise null. */
function missingBytesSentence(seen: TrafficCounts, expected: number): string | null {
  if (seen.sent >= expected && seen.received >= expected) return null;
  return `the transport counted ${bytesText(seen.sent)} sent and ${bytesText(seen.received)} received, expected ${bytesText(expected)}`;
}
