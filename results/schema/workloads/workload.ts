import type { Job } from '../job.ts';
import type { WorkloadAxes, WorkloadData } from './data.ts';

/** A point for the formulas of a workload. `ranks` are the ranks that work together; with groups, those of one group. */
export interface PointContext {
  axes: WorkloadAxes;
  ranks: number;
}

/** A figure computed from another one. `factor`: its factor besides size and time, absent if the workload has none. */
export interface DerivedValue {
  name: string;
  value: number;
  factor?: number;
}

/**
 * A row of the table of workloads: the stored data, and formulas that only this build has. No other code depends on which
 * workload it is.
 */
export interface Workload extends WorkloadData {
  /** Units of work in one timed operation: a round trip is two messages. A figure is the time divided by these units. */
  unitsPerOperation(place: PointContext): number;
  /**
   * Figures that are computed from the measured figure `from`.
   * @param elapsedNs time of one unit of work, > 0
   */
  derive(place: PointContext, from: string, elapsedNs: number): DerivedValue[];
  /** Payload bytes of one timed operation, the divisor for joules per GB and for estimates; 0 = none. */
  payloadBytes(place: PointContext): number;
  /**
   * Lowest number of bytes that all ranks together must send in one timed operation with this algorithm ("" = none, or not
   * known). Evidence compares counters with this number; null = no expectation.
   */
  leastMovedBytes(place: PointContext, algorithm: string): number | null;
  /** Same as leastMovedBytes(), the minimum over all algorithms; null = not known. */
  leastMovedAnyhow(place: PointContext): number | null;
  /** True if no algorithm of the engine reduces or combines the data: sends and receives. */
  isPlainTransfer(axes: WorkloadAxes): boolean;
  /**
   * The operation as a job for replay; null if these columns do not suffice.
   * @param columns medians of rank 0 by column name
   */
  jobOf?(axes: WorkloadAxes, columns: Readonly<Record<string, number>>): Omit<Job, 'source' | 'ranks'> | null;
  /** Name of the job of which the operation is an unchanged step; null if the step is changed or disturbed (scaled, profiled). */
  stepOf?(axes: WorkloadAxes): string | null;
}
