import type { RunPlan, TransportPlan } from '../../schema/index.ts';
import { backgroundBytes, busiest, overHosts, overInterface } from './interfaces.ts';
import { type EvidenceVerdict, unproven } from './judged.ts';
import type { TrafficCounts } from './observed.ts';

/** Traffic of others may be as much: a smaller payload on an interface proves nothing of a way that nobody names. */
const tellingBytes = 4 * backgroundBytes;

/** A way that nobody names: an interface that carried the payload, or no answer. */
export function foundOver(
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
  // Sockets of ranks on several hosts carry their barriers, too.
  const isOwn = hosts === 1 && seen.own !== null && seen.own >= expected;
  if (judged.verdict !== 'confirmed' || isOwn || expected >= tellingBytes * hosts) return judged;
  return unproven(`${judged.reason}; too little to tell from traffic of others`);
}

function overBusiest(
  named: TransportPlan['options'][string] | undefined,
  seen: TrafficCounts,
  expected: number,
): EvidenceVerdict {
  const name = typeof named === 'string' && named !== '' ? named : busiest(seen.interfaces, null)?.[0];
  if (name === undefined) return unproven('no network interface was watched');
  return overInterface(name, seen, expected);
}
