import type { Job } from '../job.ts';
import type { WorkloadAxes, WorkloadData } from './data.ts';
import type { TrafficMatrix } from './matrix/traffic-matrix.ts';

/** Axis values of one measurement, with the number of ranks that work together; with groups of ranks, those of one group. */
export interface PointContext {
  axes: WorkloadAxes;
  ranks: number;
}

/**
 * A figure computed from another one. `factor` is the factor of the formula besides size and time; absent if the formula has
 * none.
 */
export interface DerivedValue {
  name: string;
  value: number;
  factor?: number;
}

/**
 * Messages of one operation that follow one another over a link. `reply`: one message, for which the receiver waits. `stream`:
 * `window` messages in one direction, sent without waiting. `algorithm`: the messages of the collective algorithm.
 */
export type MessagePattern = { kind: 'reply' | 'algorithm' } | { kind: 'stream'; window: number };

/**
 * A workload: the data that each run stores, and formulas that only this build has. No other code depends on which workload it
 * is.
 */
export interface Workload extends WorkloadData {
  /**
   * Returns the number of units of work in one timed operation: 2 for a round trip. Figures are the time divided by this number.
   */
  unitsPerOperation(place: PointContext): number;
  /**
   * Returns the figures that are computed from the measured figure `from`.
   * @param elapsedNs time of one unit of work, > 0
   */
  derive(place: PointContext, from: string, elapsedNs: number): DerivedValue[];
  /** Returns the payload bytes of one timed operation, for energy per GB and estimates of time; 0 = none. */
  payloadBytes(place: PointContext): number;
  /**
   * Returns the lowest number of bytes that all ranks together must send in one timed operation with this algorithm ("" = none,
   * or not known). Evidence compares counters with it. Null = the number is not known.
   */
  minMovedBytes(place: PointContext, algorithm: string): number | null;
  /** Returns the minimum of minMovedBytes() over all algorithms, in bytes; null = not known. */
  minMovedByAnyAlgorithm(place: PointContext): number | null;
  /**
   * True if an algorithm that the user fixes applies to the whole timed operation, so that evidence checks whether it was used.
   * False or absent = not checked, for example for a training step: it consists of several collectives, and only those that
   * support the algorithm use it.
   */
  appliesFixedChoice?: boolean;
  /** Returns the bytes that each rank sends to each rank, by sender and receiver; null or absent = the workload has no matrix. */
  trafficOf?(point: { axes: WorkloadAxes; script?: string | undefined }): TrafficMatrix | null;
  /** Returns how the messages of an operation follow each other on a link, for link models; null or absent = not known. */
  messagePattern?(place: PointContext): MessagePattern | null;
  /** True if the operation is only sends and receives, without an algorithm that combines or reduces data. */
  isPlainTransfer(axes: WorkloadAxes): boolean;
  /**
   * Returns the measured operation as a job for replay; null if these columns do not suffice.
   * @param columns medians of rank 0 by column name
   */
  jobOf?(axes: WorkloadAxes, columns: Readonly<Record<string, number>>): Omit<Job, 'source' | 'ranks'> | null;
  /** Returns the name of the job (recorded training step) that the operation repeats unchanged; null if scaled or profiled. */
  stepOf?(axes: WorkloadAxes): string | null;
}
