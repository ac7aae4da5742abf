export interface TextLines {
  lines: string[];
  /** False if the last line has no line feed: it was cut off, and is not in `lines`. */
  isWhole: boolean;
}

/** Lines of a text. An unfinished last line is left out, since its last number may lack digits. */
export function textLines(text: string): TextLines {
  const lines = text.split(/\r?\n/);
  const last = lines.pop() ?? '';
  return { lines, isWhole: last.trim() === '' };
}

/** Messages of launchers when a program was aborted. */
export const abortWords =
  /Primary job\s+terminated|MPI_ABORT was invoked|exited on signal|^Abort\(|srun: error|BAD TERMINATION|mpirun has exited due to/;
