import type { Job } from '../job.ts';
import type { WorkloadAxes, WorkloadData } from './data.ts';

/** A point as the formulas of a workload need it. `ranks` are those that work together: of the group, where there is one. */
export interface PointContext {
  axes: WorkloadAxes;
  ranks: number;
}

/** A figure made of another one. `factor`: what was multiplied beside size and time, where the workload has such a thing. */
export interface DerivedValue {
  name: string;
  value: number;
  factor?: number;
}

/** A row of the table of workloads: its data, and what only this build can compute. Nobody else asks which workload it is. */
export interface Workload extends WorkloadData {
  /**
   * Units of work that one timed operation stands for: a round trip is two messages. The figure is time by units.
   */
  unitsPerOperation(place: PointContext): number;
  /**
   * Figures made of the measured figure `from`.
   * @param elapsedNs one unit of work, > 0
   */
  derive(place: PointContext, from: string, elapsedNs: number): DerivedValue[];
  /** Bytes of payload that one timed operation is about: joules per GB and estimates divide by them; 0 = none. */
  payloadBytes(place: PointContext): number;
  /**
   * Bytes that all ranks together must send in one timed operation with this algorithm ("" = none, or not known). Evidence
   * compares counters with it; null = nothing can be expected.
   */
  leastMovedBytes(place: PointContext, algorithm: string): number | null;
  /** The same whatever the algorithm adds; null = not known. */
  leastMovedAnyhow(place: PointContext): number | null;
  /** Data that is not reduced or combined by an algorithm of the engine: sends and receives. */
  isPlainTransfer(axes: WorkloadAxes): boolean;
  /**
   * What an operation asks of the network, for replay; null where these columns do not tell.
   * @param columns of rank 0, their medians by name
   */
  jobOf?(axes: WorkloadAxes, columns: Readonly<Record<string, number>>): Omit<Job, 'source' | 'ranks'> | null;
  /** Name of the job that an operation is a step of, as it runs; null = it is changed or disturbed (scaled, profiled). */
  stepOf?(axes: WorkloadAxes): string | null;
}
