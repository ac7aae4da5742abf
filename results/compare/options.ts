import type { VariancePrior } from '../derive/statistics/launch-interval.ts';
import type { AllowedDifference } from '../schema/index.ts';
import type { ComparableRun } from './run.ts';

/**
 * Known scatter of launches, as variances of log time: `cell` for the median of one message size, `group` for the mean over all
 * sizes of a size range.
 */
export interface ScatterPrior {
  cell: VariancePrior;
  group: VariancePrior;
}

export interface CompareOptions {
  /**
   * Smallest relative change that is reported: 0.02 = 2 %. `groupThreshold` is for size ranges, `cellThreshold` for single sizes.
   */
  groupThreshold: number;
  cellThreshold: number;
  /**
   * Highest expected share of false alarms among reported changes (Benjamini & Hochberg), for size ranges and, separately, for
   * single sizes.
   */
  falseDiscovery: number;
  /** Names of differences between the runs, such as "ranks", despite which the user wants a comparison (`--allow`). */
  allow: readonly AllowedDifference[];
  /** True to leave out configurations that have a flag (a warning such as "CPU was busy") in either run from the comparison. */
  excludeFlagged: boolean;
  /**
   * Factor by which standard errors are larger than those computed from launches of one run, because whole runs also differ: `zSd`
   * of calibrate(), or 2 if launches follow each other closely; 1 = not larger. Not applied if earlier runs show how much runs
   * differ.
   */
  scatterFactor: number;
  /**
   * Source of the scatter between runs if there are too few earlier runs: `aa` = `collbench aa`, whose factor is in
   * `scatterFactor`; `transport` = a value assumed for the transport. Null = no such scatter, because launches of both runs were
   * measured alternately.
   */
  runScatterFrom: 'aa' | 'transport' | null;
  /** Earlier runs on the same hosts, from which the scatter between runs is estimated. They may have other settings. */
  history: readonly ComparableRun[];
  /** True if the earlier runs are of too few nights. Nights may then differ by more, so the assumed scatter is a lower bound. */
  hasFewNights: boolean;
  /**
   * Second, wider limit for the verdict "same", as a relative change: the 95 % interval must be within it and contain "no change";
   * 0 = no second limit. `groupSame` is for size ranges, `cellSame` for single sizes.
   */
  groupSame: number;
  cellSame: number;
  /**
   * Variances between launches that earlier runs of an unchanged program showed, by key of series and size range (CellGroup.key).
   */
  learned: Readonly<Record<string, ScatterPrior>>;
}

/** Default options of a comparison: thresholds of 2 % for size ranges and 4 % for single sizes, at most 2.5 % false alarms. */
export const usualOptions: CompareOptions = {
  groupThreshold: 0.02,
  cellThreshold: 0.04,
  falseDiscovery: 0.025,
  allow: [],
  excludeFlagged: false,
  scatterFactor: 1,
  runScatterFrom: null,
  history: [],
  hasFewNights: false,
  groupSame: 0,
  cellSame: 0,
  learned: {},
};
