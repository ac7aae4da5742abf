import type { VariancePrior } from '../derive/statistics/launch-interval.ts';
import type { AllowedDifference } from '../schema/index.ts';
import type { ComparableRun } from './run.ts';

/**
 * Known differences between launches, as variances of log time: `cell` for the median of one message size, `group` for
 * the mean over all sizes of a size range.
 */
export interface ScatterPrior {
  cell: VariancePrior;
  group: VariancePrior;
}

export interface CompareOptions {
  /**
   * Relative change that is too small to be reported: 0.02 = 2 %. `groupThreshold` for size ranges, `cellThreshold` for single
   * sizes.
   */
  groupThreshold: number;
  cellThreshold: number;
  /**
   * Highest expected share of false alarms among reported changes (Benjamini & Hochberg), for size ranges and, separately, for
   * cells.
   */
  falseDiscovery: number;
  /** Names of differences between the runs, such as "ranks", despite which the user wants a comparison (`--allow`). */
  allow: readonly AllowedDifference[];
  /** True to leave out measurements with a flag (a warning such as "CPU was busy") from the comparison. */
  excludeFlagged: boolean;
  /**
   * Factor by which standard errors exceed those computed from launches of one run, because runs also differ (`zSd` of
   * calibrate()).
   */
  scatterFactor: number;
  /**
   * Source of the scatter between runs if earlier runs show none. Null = no such scatter, because launches of both runs were
   * measured alternately.
   */
  runScatterFrom: 'aa' | 'transport' | null;
  /** Earlier runs on the same hosts, from which the scatter between runs is estimated. They may have other settings. */
  history: readonly ComparableRun[];
  /** True if earlier runs are of too few nights, so that real differences between nights may exceed the assumed scatter. */
  isAssumedLeast: boolean;
  /**
   * Second, wider limit for the verdict "same", as a share: the 95 % interval is within it and contains "no change". `cellSame`
   * is that for single sizes.
   */
  groupSame: number;
  cellSame: number;
  /** Variance between launches that earlier runs of an unchanged program showed, by series and size range (CellGroup.key). */
  learned: Readonly<Record<string, ScatterPrior>>;
}

/** Default limits of a comparison: 2 % for size ranges, 4 % for single sizes, at most 2.5 % false alarms. */
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
