import type { VariancePrior } from '../derive/statistics/launch-interval.ts';
import type { AllowedDifference } from '../schema/index.ts';
import type { ComparableRun } from './read-run.ts';

/** Known scatter of launches in a size range: `cell` of the log median of one size, `group` of the mean over its sizes. */
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
  /** Names of differences between the runs that the user accepts (`--allow`). */
  allow: readonly AllowedDifference[];
  /** True if cells with a flag are not compared. */
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
  /** True if the earlier runs are of too few nights. An assumed scatter is then only a lower bound. */
  isAssumedLeast: boolean;
  /**
   * Second, wider limit for the verdict "same", as a share: the 95 % interval is within it and contains "no change". `cellSame`
   * is that for single sizes.
   */
  groupSame: number;
  cellSame: number;
  /** Scatter that is known from earlier runs, by key of series and size range (CellGroup.key). */
  learned: Readonly<Record<string, ScatterPrior>>;
}

/** The usual limits, as in stats.md 3.3. */
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
