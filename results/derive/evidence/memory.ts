import type { BlockRecord, Evidence, RunPlan } from '../../schema/index.ts';
import { bytesText } from '../../units.ts';
import { launchPaths } from '../cells/choices.ts';
import { backgroundBytes, confirmed, maxNetworkTraffic, unproven } from './interfaces.ts';
import type { TrafficCounts } from './traffic.ts';

/** Header bytes per message that a transport's own byte counter may contain in addition to the payload. */
const countedPerMessage = 512;

/**
 * Judges a transport through memory, or through a card that counts bytes, after the caller has checked that the expected bytes
 * moved. `confirmed` if the network can have carried only fewer bytes than expected (maxNetworkTraffic()), or if the ranks' sockets
 * received fewer. `unproven` if far more bytes moved, no interface was watched, or other traffic is large enough to hide the
 * payload.
 * @param expected payload bytes that must have moved
 */
export function judgeMemoryTraffic(plan: RunPlan, seen: TrafficCounts, expected: number): Evidence {
  const own = `the transport moved ${bytesText(seen.sent)}, expected ${bytesText(expected)}`;
  const most = expected * 1.25 + seen.messages * countedPerMessage + backgroundBytes;
  if (seen.sent > most) return unproven(own);
  const other = maxNetworkTraffic(plan, seen);
  if (other === null)
    return unproven(
      `${own}; no network interface${plan.hosts.length > 1 ? ' of some host' : ''} was watched`,
    );
  const [name, carried] = other;
  if (carried >= expected && seen.own !== null && seen.socketsGone === 0 && seen.own < expected) {
    return confirmed(
      `${own}; ${name} carried ${bytesText(carried)}, of which the ranks received no more than ${bytesText(seen.own)}`,
    );
  }
  if (carried >= expected) {
    return unproven(`${own}, but ${name} carried ${bytesText(carried)} at the same time, enough to hide it`);
  }
  const others =
    carried === 0
      ? 'no network interface received a byte'
      : `${name} carried no more than ${bytesText(carried)}`;
  return confirmed(`${own}; ${others}`);
}

/**
 * Judges GPU kernels that store into mapped memory of other ranks: `confirmed` if ranks of every launch reported such mappings, for
 * these kernels have no other path; otherwise `unproven`. The numbers of stored and expected bytes only appear in the reason.
 */
export function judgeMappedTraffic(
  blocks: readonly BlockRecord[],
  seen: TrafficCounts,
  expected: number,
): Evidence {
  const own = `the kernels stored ${bytesText(seen.sent)}, expected ${bytesText(expected)}`;
  const launches = [...launchPaths(blocks).values()];
  const isMapped = launches.length > 0 && launches.every((paths) => (paths['P2P/IPC'] ?? 0) > 0);
  if (!isMapped) return unproven(`${own}; no rank reported that it maps the memory of all others`);
  return confirmed(`${own}; every rank maps the memory of all others, no network`);
}
