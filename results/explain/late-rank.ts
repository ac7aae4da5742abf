// The rank that starts last back to back, where ranks are late without being made so.
import { binomialDistribution } from 'simple-statistics';
import { headlines } from '../derive/index.ts';
import type { BlockRecord } from '../schema/index.ts';

/** Starts of a sample in which ranks were apart: the last rank, and how much later than the first one it started. */
export interface Arrival {
  last: number;
  lateNs: number;
}

/** A rank that starts last more often than chance explains. */
export interface LateRank {
  rank: number;
  /** Number of samples in which it was the last one, of `of` samples in which ranks started apart. */
  times: number;
  of: number;
  /** Mean time in ns by which it was later than the first rank in these samples. */
  meanNs: number;
}

/** Ranks start apart if the last one is later than the first by more than this share of an operation, and this many ns. */
const [apartShare, apartNs] = [0.05, 1_000];
/** Highest probability that any rank of a run is last so often by chance. */
const maxChance = 0.01;

/** Returns the arrivals in samples back to back in which ranks started apart; empty for other trials and times of devices. */
export function arrivalsIn(block: BlockRecord): Arrival[] {
  if (block.trial !== 'pipelined' || block.clock === 'device') return [];
  const { ns, used } = headlines(block);
  // Starts on several hosts are compared as far as the clocks are known.
  const errorNs = Math.max(0, ...(block.clockUncertaintyNs ?? []).map((one) => one ?? 0));
  return used.flatMap((sample, at): Arrival[] => {
    const starts = block.startNs.map((rank) => rank[sample] ?? Number.NaN);
    const [first, latest] = [Math.min(...starts), Math.max(...starts)];
    const lateNs = latest - first;
    const isApart = lateNs > Math.max(apartNs + 2 * errorNs, apartShare * (ns[at] ?? 0));
    return isApart ? [{ last: starts.indexOf(latest), lateNs }] : [];
  });
}

/** Returns the rank that is last more often than chance explains; null if there is none. @param ranks number of ranks */
export function lateRankOf(arrivals: readonly Arrival[], ranks: number): LateRank | null {
  const counts = Array.from({ length: ranks }, (_, rank) => arrivals.filter(({ last }) => last === rank));
  const [own = []] = counts.toSorted((a, b) => b.length - a.length);
  const [first] = own;
  const chances = arrivals.length === 0 ? [] : (binomialDistribution(arrivals.length, 1 / ranks) ?? []);
  // The table ends where the rest of the distribution is negligible.
  const chance = chances.slice(own.length).reduce((sum, one) => sum + one, 0);
  if (first === undefined || chances.length === 0 || chance * ranks > maxChance) return null;
  const meanNs = own.reduce((sum, { lateNs }) => sum + lateNs, 0) / own.length;
  return { rank: first.last, times: own.length, of: arrivals.length, meanNs };
}
