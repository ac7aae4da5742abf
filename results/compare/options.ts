import type { VariancePrior } from '../derive/statistics/launch-interval.ts';
import type { AllowedDifference } from '../schema/index.ts';
import type { ComparableRun } from './read-run.ts';

/** Known scatter of launches of a group: of log launch medians of one size, and of their mean over sizes. */
export interface ScatterPrior {
  cell: VariancePrior;
  group: VariancePrior;
}

export interface CompareOptions {
  /** Relative change below which there is no change; for groups and for single sizes. */
  groupThreshold: number;
  cellThreshold: number;
  /** False discovery rate by Benjamini & Hochberg, over all groups and, separately, over all cells. */
  falseDiscovery: number;
  /** Differences between the runs that the user accepts. */
  allow: readonly AllowedDifference[];
  /** True if cells with a flag are left out. */
  excludeFlagged: boolean;
  /** Factor on standard errors that launches of one run show (`zSd` of calibrate()). */
  scatterFactor: number;
  /** Assumed scatter between runs if earlier runs show none; null = both were measured interleaved, launch by launch. */
  runScatterFrom: 'aa' | 'transport' | null;
  /** Earlier runs on the same hosts; their settings need not equal those of the compared runs. */
  history: readonly ComparableRun[];
  /** True if the earlier runs are of too few nights; the assumed scatter is then a lower bound. */
  isAssumedLeast: boolean;
  /** Second limit for the verdict "same", relative: the 95 % interval is within it and includes no change. */
  groupSame: number;
  cellSame: number;
  /** Learned scatter by CellGroup.key. */
  learned: Readonly<Record<string, ScatterPrior>>;
}

/** The rule of stats.md 3.3. */
export const usualOptions: CompareOptions = {
  groupThreshold: 0.02,
  cellThreshold: 0.04,
  falseDiscovery: 0.025,
  allow: [],
  excludeFlagged: false,
  scatterFactor: 1,
  runScatterFrom: null,
  history: [],
  isAssumedLeast: false,
  groupSame: 0,
  cellSame: 0,
  learned: {},
};
