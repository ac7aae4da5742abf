/**
 * What launchers put before each line: Open MPI "[1,0]<stdout>:", "[prterun-host-7@1,0]<stdout>:"; srun -l "0: ". Its
 * parts are bounded, lest a long line take time in the square of its length.
 */
export const launcherTag = /^(?:\[[^\]\s]{0,200}\d{1,9},\d{1,9}\](?:<std\w{2,4}>)?:\s?|\d{1,9}: )/;

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
