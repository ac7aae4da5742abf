import { costOf } from './cost.ts';
import type { SizePoint } from './points.ts';
import type { FittedModel } from './series-model.ts';

/** Range of times that the model predicts for one message size with another number of ranks. */
export interface PredictedTime {
  bytes: number;
  /**
   * Lowest predicted time, ns; `highNs` is the highest. The range allows for what is unknown: how much of the latency each message
   * pays, and how ranks share bandwidth.
   */
  lowNs: number;
  highNs: number;
}

export type Prediction =
  | { status: 'predicted'; at: PredictedTime[]; missing: string | null }
  | { status: 'none'; reason: string };

export interface PredictionInput {
  /** Name of the operation: "allreduce". */
  what: string;
  model: FittedModel;
  /** Measured sizes from which `model` was fitted. Times are predicted for those whose algorithm has a known cost. */
  points: readonly SizePoint[];
  /** Number of ranks of the measurement. `toRanks` is the number for which times are predicted. */
  fromRanks: number;
  toRanks: number;
  /** True if all ranks share one link's bandwidth, such as ranks of one node that have no links of their own. */
  isShared: boolean;
}

/**
 * Times are predicted for up to this many times as many ranks as measured, and down to the measured number divided by it; beyond,
 * the model is too simple.
 */
const maxRankFactor = 4;

/**
 * Predicts the time of a collective with more or fewer ranks, from the cost of its algorithm (cost.ts). The predicted range covers
 * what measurements with one number of ranks do not show: how much of alpha (the latency) each message pays, from none to all;
 * whether ranks on a shared medium have the full rate each or all together; and the largest deviation of the fit. Assumptions: the
 * library uses the same algorithm and protocol at each size, and links to further ranks are like those measured.
 * @returns the sizes whose algorithm has a known cost; `missing` is a sentence that names the algorithms of the other sizes, null
 * if there are none. Status `none` if no size has a known cost, or for a number of ranks that cannot be predicted
 */
export function predict(input: PredictionInput): Prediction {
  const { what, model, points, fromRanks, toRanks } = input;
  const none = (reason: string): Prediction => ({ status: 'none', reason });
  if (fromRanks < 2) return none('one rank sends nothing, so nothing follows from it');
  if (toRanks < 2) return none('a single rank sends nothing');
  if (toRanks > maxRankFactor * fromRanks || toRanks * maxRankFactor < fromRanks) {
    const next = toRanks > fromRanks ? Math.ceil(toRanks / maxRankFactor) : toRanks * maxRankFactor;
    return none(
      `${toRanks} ranks are more than a factor ${maxRankFactor} from the ${fromRanks} measured; measure with ${next}`,
    );
  }
  const unknown = new Set<string>();
  const at = points.flatMap(({ bytes, choice }): PredictedTime[] => {
    const line = model.segments.find((s) => s.firstBytes <= bytes && bytes <= s.lastBytes);
    const algorithm = choice.split('/')[0] ?? '';
    const cost = costOf(what, algorithm);
    if (line === undefined || cost === null) {
      unknown.add(algorithm === '' ? 'an algorithm that the engine did not name' : algorithm);
      return [];
    }
    const steps = cost.steps(toRanks) / cost.steps(fromRanks);
    const share = cost.share(toRanks) / cost.share(fromRanks);
    const crowd = input.isShared ? toRanks / fromRanks : 1;
    const transfer = line.nsPerByte * bytes * share;
    const low = line.alphaNs * Math.min(1, steps) + transfer * Math.min(1, crowd);
    const high = line.alphaNs * Math.max(1, steps) + transfer * Math.max(1, crowd);
    const { share: miss } = model.largestResidual;
    return [{ bytes, lowNs: low * (1 - miss), highNs: high * (1 + miss) }];
  });
  const missing = unknown.size === 0 ? null : `no cost is known of ${what} by ${[...unknown].join(', ')}`;
  return at.length === 0 ? none(missing ?? 'no size was measured') : { status: 'predicted', at, missing };
}
