import type { CellRecord, RunRecord } from '../schema/index.ts';

/** A run that can be compared, such as the `LoadedRun` of results/store. */
export interface ComparableRun {
  record: RunRecord;
  cells: readonly CellRecord[];
}

/** Returns the name of a run for texts: its label if it has one, otherwise its id. */
export const nameOfRun = ({ id, label }: { id: string; label?: string | undefined }): string => label ?? id;

/** Returns the name of the run that is compared with the base run, for texts: its label or its id. */
export const nameOfOther = ({
  other,
  otherLabel,
}: {
  other: string;
  otherLabel?: string | undefined;
}): string => otherLabel ?? other;
