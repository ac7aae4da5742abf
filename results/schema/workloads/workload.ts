import type { Job } from '../job.ts';
import type { WorkloadAxes, WorkloadData } from './data.ts';
import type { TrafficMatrix } from './matrix/traffic-matrix.ts';

/**
 * Axis values of one measurement, with the number of ranks that carry out the operation together; if the run has groups of ranks,
 * that of one group.
 */
export interface PointContext {
  axes: WorkloadAxes;
  ranks: number;
}

/**
 * Value of a figure that was computed from another one, in the unit of the figure `name` of its workload. `factor`: factor in the
 * formula other than size and time; absent if the formula has none.
 */
export interface DerivedValue {
  name: string;
  value: number;
  factor?: number;
}

/**
 * Way in which the messages of one operation follow one another on a link. `reply`: a single message, for which the receiver waits.
 * `stream`: `window` messages in one direction, sent without waiting. `algorithm`: the messages of the collective algorithm.
 */
export type MessagePattern = { kind: 'reply' | 'algorithm' } | { kind: 'stream'; window: number };

/**
 * A workload: its description, which each run stores, and formulas, which only the program has. Other code calls these functions
 * and does not ask which workload it is. Functions that use axis values throw an error of the schema if these do not belong to
 * the workload.
 */
export interface Workload extends WorkloadData {
  /**
   * Returns the number by which the time of one timed operation is divided to get its figures: 2 for a round trip, the number of
   * repeated transfers in an operation that has several, otherwise 1.
   */
  unitsPerOperation(place: PointContext): number;
  /**
   * Returns the figures that are computed from the measured figure `from`, in their units; empty if the workload has none. A
   * figure that has no meaning at this point is left out.
   * @param elapsedNs value of the figure `from`: time of one operation, already divided by unitsPerOperation(), ns, > 0
   */
  derive(place: PointContext, from: string, elapsedNs: number): DerivedValue[];
  /**
   * Returns the payload in bytes of one timed operation, for energy per GB and estimates of time; 0 = it has none, or it is not
   * known.
   */
  payloadBytes(place: PointContext): number;
  /**
   * Returns the lowest number of bytes that all ranks together must send to other ranks in one timed operation with this algorithm
   * ("" = none, or not known). Byte counters are compared with it. Null = the number is not known.
   */
  minMovedBytes(place: PointContext, algorithm: string): number | null;
  /**
   * Returns the lowest number of bytes that all ranks together must send to other ranks in one timed operation, whatever the
   * algorithm; null = not known.
   */
  minMovedByAnyAlgorithm(place: PointContext): number | null;
  /**
   * True if an algorithm that the user fixes applies to the whole timed operation, so that it is checked whether the ranks used it.
   * False or absent = not checked. Example: a training step has several collectives, and only those that support the algorithm use
   * it.
   */
  appliesFixedChoice?: boolean;
  /**
   * Returns the bytes that each rank sends to each rank in one operation: [sender][receiver]. Null or absent = the workload or
   * the point has no such matrix.
   * @param point `script` is the content of the point's `script` in the plan; without it the result is null
   */
  trafficOf?(point: { axes: WorkloadAxes; script?: string | undefined }): TrafficMatrix | null;
  /**
   * Returns the order of an operation's messages on a link, from which link models predict its time; null or absent = not known.
   */
  messagePattern?(place: PointContext): MessagePattern | null;
  /**
   * True if the operation with these axis values consists only of sends and receives, without an algorithm that combines or
   * reduces data.
   */
  isPlainTransfer(axes: WorkloadAxes): boolean;
  /**
   * Returns the measured operation as a job for replay; null if `columns` does not have all values that a job needs. Absent = no
   * operation of the workload can become a job.
   * @param columns recorded values of the operation's phases by name, in ns or bytes: medians over samples on rank 0
   */
  jobOf?(axes: WorkloadAxes, columns: Readonly<Record<string, number>>): Omit<Job, 'source' | 'ranks'> | null;
  /**
   * Returns the name of the training step that the operation carries out or replays unchanged, so that a step and its replay can
   * be compared. Null if the step is scaled or runs under a profiler. Absent = the workload has no training steps.
   */
  stepOf?(axes: WorkloadAxes): string | null;
}
