export interface TextLines {
  lines: string[];
  /** False where the last line has no end: it was cut off, and is not among `lines`. */
  isWhole: boolean;
}

/** A cut line is left out: its last number may lack digits. */
export function textLines(text: string): TextLines {
  const lines = text.split(/\r?\n/);
  const last = lines.pop() ?? '';
  return { lines, isWhole: last.trim() === '' };
}

/** What launchers print when a program did not come to its end. */
export const abortWords =
  /Primary job\s+terminated|MPI_ABORT was invoked|exited on signal|^Abort\(|srun: error|BAD TERMINATION|mpirun has exited due to/;
