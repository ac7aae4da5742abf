/** What people call a run: its label where it has one. */
export const nameOfRun = ({ id, label }: { id: string; label?: string | undefined }): string => label ?? id;

/** The same of the other run of a pair. */
export const nameOfOther = ({
  other,
  otherLabel,
}: {
  other: string;
  otherLabel?: string | undefined;
}): string => otherLabel ?? other;
