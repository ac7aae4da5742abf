import type { VariancePrior } from '../derive/statistics/launch-interval.ts';
import type { AllowedDifference } from '../schema/index.ts';
import type { ComparableRun } from './read-run.ts';

/** What is known beforehand of how launches of a group scatter: log launch medians of one size, and of their mean. */
export interface ScatterPrior {
  cell: VariancePrior;
  group: VariancePrior;
}

export interface CompareOptions {
  /** Relative change below which there is none; of groups and of single sizes. */
  groupThreshold: number;
  cellThreshold: number;
  /** Benjamini & Hochberg, over all groups and, apart from them, over all cells. */
  falseDiscovery: number;
  /** Unlikeness that is accepted. */
  allow: readonly AllowedDifference[];
  /** Cells with a flag are left out. */
  excludeFlagged: boolean;
  /** Standard errors are so many times as large as launches of one run show (`zSd` of calibrate()). */
  scatterFactor: number;
  /** The assumption if earlier runs do not show how runs differ; null = both were measured interleaved, launch by launch. */
  runScatterFrom: 'aa' | 'transport' | null;
  /** Earlier runs on the same hosts, in which nothing need be the same as in the compared ones. */
  history: readonly ComparableRun[];
  /** Earlier runs are of too few nights to show how nights differ: they differ by what is assumed, or more. */
  isAssumedLeast: boolean;
  /** "Same" is what is within the threshold with its whole 95 % interval, or within this and around no change; relative. */
  groupSame: number;
  cellSame: number;
  /** By CellGroup.key. */
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
