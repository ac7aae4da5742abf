import { mean, median, sum } from 'simple-statistics';
import { addTo } from '../../collections.ts';
import {
  type BlockRecord,
  type CellOverlap,
  loadKinds,
  loadOf,
  loadSetting,
  type OkCell,
  type RunPlan,
  type TransportPlan,
  timedTrialNames,
} from '../../schema/index.ts';
import { operationTimes } from '../cells/operation-times.ts';

type OverlapTrial = CellOverlap['trials'][number];

/**
 * Lowest total time (ns) of timed operations per rank and launch. In a shorter time a concurrent load does too little for its rate
 * to be computed.
 */
const minTimedNs = 2e6;

/**
 * Returns, by kind of trial, the operation's mean time in each launch (`meanNs`) and the rates of the concurrent load (`--beside`).
 * A rate is the sum over ranks, and the median over launches: alone, and during the timed operations (`beside`). The rates (`load`)
 * are null if this transport ran without load, or too shortly. Also returned: the load as requested (`word`; null if this transport
 * has none), and its number of workers over all ranks (`workers`). The result is {} if no transport of the run has a load.
 */
export function loadOverlaps(
  plan: RunPlan,
  over: TransportPlan,
  blocks: readonly BlockRecord[],
): Pick<OkCell, 'beside'> {
  if (plan.transports.every(({ settings }) => settings?.[loadSetting] === undefined)) return {};
  const word = over.settings?.[loadSetting] ?? null;
  const [first] = blocks;
  const trials = timedTrialNames.flatMap((trial): OverlapTrial[] => {
    const launches = new Map<number, BlockRecord[]>();
    for (const block of blocks) if (block.trial === trial) addTo(launches, block.launch, block);
    const meanNs = [...launches.values()].flatMap(meanOf);
    return meanNs.length === 0 ? [] : [{ trial, meanNs, load: ratesOf(word, [...launches.values()]) }];
  });
  const workers = (first?.beside ?? []).reduce((sum, one) => sum + one.workers, 0);
  return { beside: { word, workers, trials } };
}

/**
 * Returns the mean time of one operation over all samples of a launch, ns, as a list of one value; empty without usable samples.
 */
function meanOf(blocks: readonly BlockRecord[]): number[] {
  const ns = blocks.flatMap((block) => operationTimes(block).ns);
  const meanNs = ns.length === 0 ? 0 : mean(ns);
  return meanNs > 0 ? [meanNs] : [];
}

function ratesOf(word: string | null, launches: readonly (readonly BlockRecord[])[]): OverlapTrial['load'] {
  const kind = word === null ? null : loadOf(word);
  if (kind === null) return null;
  const rates = launches.flatMap((blocks) => {
    const ranks = blocks[0]?.beside?.length ?? 0;
    const ofRank = Array.from({ length: ranks }, (_, rank) => {
      const total = (of: 'aloneUnits' | 'aloneNs' | 'timedUnits' | 'timedNs'): number =>
        sum(blocks.map(({ beside }) => beside?.[rank]?.[of] ?? 0));
      const timedNs = total('timedNs');
      return {
        timedNs,
        alone: total('aloneUnits') / Math.max(1, total('aloneNs')),
        beside: total('timedUnits') / Math.max(1, timedNs),
      };
    });
    const alone = sum(ofRank.map((one) => one.alone));
    if (!(alone > 0) || ofRank.some(({ timedNs }) => timedNs < minTimedNs)) return [];
    return [{ alone, beside: sum(ofRank.map((one) => one.beside)) }];
  });
  if (rates.length === 0) return null;
  return {
    unit: loadKinds[kind.name].unit,
    alone: median(rates.map(({ alone }) => alone)),
    beside: median(rates.map(({ beside }) => beside)),
    keptShares: rates.map(({ alone, beside }) => beside / alone),
  };
}
