/** What launchers put before each line: Open MPI "[1,0]<stdout>:", "[prterun-host-7@1,0]<stdout>:"; srun -l "0: ". */
export const launcherTag = /^(?:\[[^\]\s]*\d+,\d+\](?:<std\w+>)?:\s?|\d+: )/;

export interface TextLines {
  lines: string[];
  /** False where the last line has no end: it was cut off, and is not among `lines`. */
  isWhole: boolean;
}

/** Lines without what launchers put before them. A cut one is left out: its last number may lack digits. */
export function textLines(text: string): TextLines {
  const lines = text.split(/\r?\n/);
  const last = lines.pop() ?? '';
  return { lines: lines.map((line) => line.replace(launcherTag, '')), isWhole: last.trim() === '' };
}

/** What launchers print when a program did not come to its end. */
export const abortWords =
  /Primary job\s+terminated|MPI_ABORT was invoked|exited on signal|^Abort\(|srun: error|BAD TERMINATION|mpirun has exited due to/;
