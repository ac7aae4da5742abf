import { linksRate } from './rates.ts';
import type { PeerLink } from './types.ts';

/**
 * Joins links of one kind from a GPU to the same other end, so that readers see their total rate. Sources may list such links
 * separately: NCCL lists one for each of the four NVSwitches of a machine.
 * @returns rows in the order of their first link; a sum with an unknown rate is unknown
 */
export function sumParallelLinks(links: readonly PeerLink[]): PeerLink[] {
  const sums = new Map<string, PeerLink>();
  for (const link of links) {
    const key = JSON.stringify([link.from, link.to, link.kind]);
    const sum = sums.get(key);
    sums.set(key, sum === undefined ? link : addLinks(sum, link));
  }
  return [...sums.values()];
}

function addLinks(a: PeerLink, b: PeerLink): PeerLink {
  const count = a.count + b.count;
  const isKnown = a.rate.GBps !== null && b.rate.GBps !== null;
  const GBps = (a.rate.GBps ?? 0) + (b.rate.GBps ?? 0);
  return { ...a, count, rate: linksRate(count, a.kind, isKnown ? GBps / count : undefined) };
}
