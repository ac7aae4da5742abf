import { costOf } from './cost.ts';
import type { SizePoint } from './points.ts';
import type { FittedModel } from './series-model.ts';

/** Time of one size at another number of ranks. A model, nothing measured. */
export interface PredictedTime {
  bytes: number;
  /** Whatever of the latency belongs to the messages, and of the bandwidth to the rank: within these. */
  lowNs: number;
  highNs: number;
}

export type Prediction =
  | { status: 'predicted'; at: PredictedTime[]; missing: string | null }
  | { status: 'none'; reason: string };

export interface PredictionInput {
  /** The operation: "allreduce". */
  what: string;
  model: FittedModel;
  points: readonly SizePoint[];
  /** Measured, and wanted. */
  fromRanks: number;
  toRanks: number;
  /** Ranks share what carries the bytes: those of one node, without links of their own. */
  isShared: boolean;
}

/** A step in the number of ranks beyond which nobody should believe two parameters. */
export const maxRankDoublings = 4;

/**
 * The same collective with more or fewer ranks, from what its algorithm costs (cost.ts). What one number of ranks cannot
 * tell makes the range: how much of alpha is paid once and how much per message (none to all); where ranks share a medium,
 * whether each has its rate or all together have; and the largest residual of the fit. Taken for granted is that the library
 * keeps algorithm and protocol at each size, and that links to further ranks are like those measured.
 */
export function predict(input: PredictionInput): Prediction {
  const { what, model, points, fromRanks, toRanks } = input;
  const none = (reason: string): Prediction => ({ status: 'none', reason });
  if (fromRanks < 2) return none('one rank sends nothing, so nothing follows from it');
  if (toRanks < 2) return none('a single rank sends nothing');
  if (toRanks > maxRankDoublings * fromRanks || toRanks * maxRankDoublings < fromRanks) {
    const next = toRanks > fromRanks ? Math.ceil(toRanks / maxRankDoublings) : toRanks * maxRankDoublings;
    return none(
      `${toRanks} ranks are more than a factor ${maxRankDoublings} from the ${fromRanks} measured; measure with ${next}`,
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
