/** Name of a run in texts: its label if it has one, otherwise its id. */
export const nameOfRun = ({ id, label }: { id: string; label?: string | undefined }): string => label ?? id;

/** Name of the other run of a pair: its label or its id. */
export const nameOfOther = ({
  other,
  otherLabel,
}: {
  other: string;
  otherLabel?: string | undefined;
}): string => otherLabel ?? other;
