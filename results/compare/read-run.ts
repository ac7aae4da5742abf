import type { CellRecord, RunRecord } from '../schema/index.ts';

/** A run that is compared: `LoadedRun` of results/store is one. */
export interface ComparableRun {
  record: RunRecord;
  cells: readonly CellRecord[];
}
