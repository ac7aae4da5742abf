// Finds a rank that starts later than the others in operations back to back, although nothing delays it on purpose.
import { binomialDistribution } from 'simple-statistics';
import { operationTimes } from '../derive/index.ts';
import type { BlockRecord } from '../schema/index.ts';

/** A sample in which ranks started apart: the rank that started last, and how many ns later than the first one. */
export interface Arrival {
  last: number;
  lateNs: number;
}

/** A rank that starts last more often than chance explains. */
export interface LateRank {
  rank: number;
  /** Number of samples in which this rank started last; `of`: number of all samples in which ranks started apart. */
  times: number;
  of: number;
  /** Mean time in ns between the start of the first rank and of this rank, over the samples in which this rank started last. */
  meanNs: number;
}

/**
 * Ranks count as starting apart if the last one starts later than the first by more than this share of the operation's time, and by
 * more than this many ns plus twice the error of the clocks.
 */
const [apartShare, apartNs] = [0.05, 1_000];
/** Highest probability that any rank of a run would start last so often by chance; above it no rank is named. */
const maxChance = 0.01;

/**
 * Returns the used samples of a pipelined block (operations back to back) in which ranks started apart, by more than `apartShare`
 * and `apartNs`. Empty for other trials, and for blocks timed by device clocks.
 */
export function arrivalsIn(block: BlockRecord): Arrival[] {
  if (block.trial !== 'pipelined' || block.clock === 'device') return [];
  const { ns, used } = operationTimes(block);
  // Starts on several hosts are compared only beyond the error of the clock offsets.
  const errorNs = Math.max(0, ...(block.clockUncertaintyNs ?? []).map((one) => one ?? 0));
  return used.flatMap((sample, at): Arrival[] => {
    const starts = block.startNs.map((rank) => rank[sample] ?? Number.NaN);
    const [first, latest] = [Math.min(...starts), Math.max(...starts)];
    const lateNs = latest - first;
    const isApart = lateNs > Math.max(apartNs + 2 * errorNs, apartShare * (ns[at] ?? 0));
    return isApart ? [{ last: starts.indexOf(latest), lateNs }] : [];
  });
}

/**
 * Returns the rank that starts last most often; null if chance explains how often (with a probability above `maxChance`), or
 * without arrivals.
 * @param ranks number of ranks in the run
 */
export function lateRankOf(arrivals: readonly Arrival[], ranks: number): LateRank | null {
  const counts = Array.from({ length: ranks }, (_, rank) => arrivals.filter(({ last }) => last === rank));
  const [own = []] = counts.toSorted((a, b) => b.length - a.length);
  const [first] = own;
  const chances = arrivals.length === 0 ? [] : (binomialDistribution(arrivals.length, 1 / ranks) ?? []);
  // The table of probabilities ends where the rest of the distribution is negligible.
  const chance = chances.slice(own.length).reduce((sum, one) => sum + one, 0);
  if (first === undefined || chances.length === 0 || chance * ranks > maxChance) return null;
  const meanNs = own.reduce((sum, { lateNs }) => sum + lateNs, 0) / own.length;
  return { rank: first.last, times: own.length, of: arrivals.length, meanNs };
}
