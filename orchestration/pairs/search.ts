// Finds the host with which a large run fails, by runs over fewer and fewer hosts.

import { foldNames } from '../../results/fold.ts';
import {
  type CellRecord,
  derivedOf,
  type Failure,
  measuredOf,
  type RunPlan,
} from '../../results/schema/index.ts';
import { formatBandwidth, formatTime, plural } from '../../results/units.ts';
import { blockOfSearch, planOfSet } from '../../suites/pairs.ts';
import { type BisectResult, bisectHosts } from '../hosts/bisect.ts';
import type { SessionOptions } from '../session/session.ts';
import { measureAlone } from '../session/sets.ts';
import type { PairThreshold } from './options.ts';
import type { RankSetResult, SetRecorder } from './recorder.ts';
import type { PairsOutput } from './rounds.ts';

/**
 * One run over some of the hosts, made by a search for the host that breaks a run. `hosts`: the names as one folded text, such as
 * "gpu[01-04]". `isBad`: verdict. `why`: its reason; for a good run its bandwidth and time.
 */
export interface SearchTrial {
  hosts: string;
  names: string[];
  isBad: boolean;
  why: string;
}

export interface SearchResult {
  /** Result of the search; null if it was interrupted, or the disk or this machine failed. */
  culprit: BisectResult | null;
  trials: SearchTrial[];
}

class SearchAborted extends Error {}

/**
 * Group data for a block of a set that was measured alone. Its times are on the clock of its own rank 0, so no offset
 * is added.
 */
const alone = { index: 0, round: 0, toCommonNs: 0, uncertaintyNs: 0 };

/**
 * Decides whether a run of the search is bad. A run that fails, has wrong data or no usable sample is bad, whatever the condition
 * is.
 * @param when condition of --bisect
 * @param failure failure that ended the run; null = none
 * @param cell result of the run; undefined = nothing was measured
 * @returns the verdict with a text of its reason; for a measured run its bandwidth and time. `isSlow`: the run is bad only
 *   because it was too slow, for which other work on a machine may be the cause
 */
export function judge(
  when: PairThreshold,
  failure: Failure | null,
  cell: CellRecord | undefined,
): Pick<SearchTrial, 'isBad' | 'why'> & { isSlow: boolean } {
  const certain = (isBad: boolean, why: string) => ({ isBad, why, isSlow: false });
  if (failure !== null) return certain(true, failure.message);
  if (cell?.status !== 'ok') return certain(true, cell?.reason ?? 'nothing was measured');
  const { wrongElements } = cell.verification;
  if (wrongElements > 0) return certain(true, `wrong data: ${plural(wrongElements, 'element')}`);
  const time = measuredOf(cell, 'pipelined');
  const rate = derivedOf(cell, 'busbw', 'pipelined');
  if (time === null || rate === null) return certain(true, 'no sample could be used');
  const why = `${formatBandwidth(rate.value)}, ${formatTime(time.value)}`;
  const isSlow =
    (when.kind === 'GBps' && rate.value < when.limit) ||
    (when.kind === 'us' && time.value > when.limit * 1000);
  return { isBad: isSlow, why, isSlow };
}

/**
 * Searches for a minimal set of the plan's ranks with which a run is bad: it fails, has wrong data, or is slower than `when`
 * allows. Measures different sets of ranks, each in its own session with new processes, because a failed run may leave its
 * processes unusable. A bad run is a result, not an error. A run that was too slow is measured once more, and counts as bad if it
 * is too slow again.
 * @param names name of each rank of the plan, indexed by rank
 * @param recorder stores the result of each run
 * @param output gets a line about each run
 * @returns the result and all runs; `culprit` is null if the user aborted the search
 * @throws StoreError if the disk cannot be written
 */
export async function search(
  plan: RunPlan,
  names: readonly string[],
  when: PairThreshold,
  options: SessionOptions,
  recorder: SetRecorder,
  output: PairsOutput,
): Promise<SearchResult> {
  const trials: SearchTrial[] = [];
  let sets = 0;
  const breaks = async (hosts: string[]): Promise<boolean> => {
    const ranks = hosts.map((host) => names.indexOf(host)).sort((a, b) => a - b);
    const folded = foldNames(ranks.map((rank) => names[rank] ?? ''));
    const name = `${plural(ranks.length, 'rank')}: ${folded}`;
    const measure = async () => {
      const request = blockOfSearch(plan);
      const own = planOfSet(plan, ranks);
      const result = await measureAlone(own, [request], options);
      if (options.signal.aborted) throw new SearchAborted();
      const { blocks, failure, logs, launches } = result;
      for (const log of logs) await recorder.log(log);
      const set: RankSetResult = {
        index: sets++,
        name,
        ranks,
        plan: own,
        requests: [request],
        blocks: blocks.map((block) => ({ ...block, group: alone })),
        launch: launches[0] ?? null,
        failure,
      };
      const [[cell] = []] = await recorder.addRound([set]);
      return judge(when, failure, cell);
    };
    const first = await measure();
    // A fault makes a run slow each time, other work on a machine only at times.
    if (first.isSlow) output.note(`slow ${name}: ${first.why}; it is measured again`);
    const { isBad, why } = first.isSlow ? await measure() : first;
    trials.push({ hosts: folded, names: hosts, isBad, why });
    output.note(`${isBad ? 'bad ' : 'good'} ${name}: ${why}`);
    return isBad;
  };
  try {
    return { culprit: await bisectHosts(names, breaks), trials };
  } catch (error) {
    if (error instanceof SearchAborted) return { culprit: null, trials };
    throw error;
  }
}
