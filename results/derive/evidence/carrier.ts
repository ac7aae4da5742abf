import type { RunPlan, TransportPlan } from '../../schema/index.ts';
import {
  backgroundBytes,
  busiestInterface,
  type EvidenceVerdict,
  overHosts,
  overInterface,
  unproven,
} from './interfaces.ts';
import type { TrafficCounts } from './traffic.ts';

/**
 * Smallest payload in bytes, per host, that can prove a path. Other processes may send as many bytes as a smaller payload has, so
 * its path stays hidden.
 */
const tellingBytes = 4 * backgroundBytes;

/**
 * Returns the evidence for a transport whose path is not known in advance, such as a plugin. `confirmed` if the requested
 * interface, or else the busiest one, carried the payload. `contradicted` only if an interface was requested. A payload too small
 * to tell from other traffic is `unproven`, unless ranks of one host received it on their own sockets.
 * @param seen bytes and messages that were counted while the cell was measured
 * @param expected payload bytes that must have moved while the cell was measured
 */
export function findCarrier(
  plan: RunPlan,
  transport: TransportPlan,
  seen: TrafficCounts,
  expected: number,
): EvidenceVerdict {
  const hosts = plan.hosts.length;
  const named = transport.options.interface;
  const isNamed =
    (typeof named === 'string' && named !== '') || (hosts > 1 && plan.hosts.every(({ iface }) => iface));
  const judged = hosts > 1 ? overHosts(plan, transport, seen, expected) : overBusiest(named, seen, expected);
  if (judged.verdict === 'contradicted' && !isNamed)
    return unproven(`${judged.reason}: the plugin used another way, which was not observed`);
  // Sockets of ranks on several hosts also carry barriers, so their counts prove nothing.
  const isOwn = hosts === 1 && seen.own !== null && seen.own >= expected;
  if (judged.verdict !== 'confirmed' || isOwn || expected >= tellingBytes * hosts) return judged;
  return unproven(`${judged.reason}; too little to tell from traffic of others`);
}

function overBusiest(
  named: TransportPlan['options'][string] | undefined,
  seen: TrafficCounts,
  expected: number,
): EvidenceVerdict {
  const name =
    typeof named === 'string' && named !== '' ? named : busiestInterface(seen.interfaces, null)?.[0];
  if (name === undefined) return unproven('no network interface was watched');
  return overInterface(name, seen, expected);
}
