import type { CellRecord, RunRecord } from '../schema/index.ts';

/** A run that can be compared, such as `LoadedRun` of results/store. */
export interface ComparableRun {
  record: RunRecord;
  cells: readonly CellRecord[];
}
