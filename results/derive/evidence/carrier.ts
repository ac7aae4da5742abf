import type { RunPlan, TransportPlan } from '../../schema/index.ts';
import { backgroundBytes, busiestInterface, overHosts, overInterface } from './interfaces.ts';
import type { TrafficCounts } from './traffic.ts';
import { type EvidenceVerdict, unprovenEvidence } from './verdicts.ts';

/** Traffic of others may be as much: a smaller payload on an interface proves nothing of a way that nobody names. */
const tellingBytes = 4 * backgroundBytes;

/** A way that nobody names: an interface that carried the payload, or no answer. */
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
    return unprovenEvidence(`${judged.reason}: the plugin used another way, which was not observed`);
  // Sockets of ranks on several hosts carry their barriers, too.
  const isOwn = hosts === 1 && seen.own !== null && seen.own >= expected;
  if (judged.verdict !== 'confirmed' || isOwn || expected >= tellingBytes * hosts) return judged;
  return unprovenEvidence(`${judged.reason}; too little to tell from traffic of others`);
}

function overBusiest(
  named: TransportPlan['options'][string] | undefined,
  seen: TrafficCounts,
  expected: number,
): EvidenceVerdict {
  const name =
    typeof named === 'string' && named !== '' ? named : busiestInterface(seen.interfaces, null)?.[0];
  if (name === undefined) return unprovenEvidence('no network interface was watched');
  return overInterface(name, seen, expected);
}
