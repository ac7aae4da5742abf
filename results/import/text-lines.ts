export interface TextLines {
  lines: string[];
  /** False if the last line has no line feed: it was cut off, and it is not in `lines`. */
  isWhole: boolean;
  /** A sentence about the last line if it was cut off, otherwise empty. The reader adds its own notices to the list. */
  notices: string[];
}

/** Splits a text into lines. A last line without line feed is left out, because its last number may lack digits. */
export function textLines(text: string): TextLines {
  const lines = text.split(/\r?\n/);
  const last = lines.pop() ?? '';
  const isWhole = last.trim() === '';
  return { lines, isWhole, notices: isWhole ? [] : ['the last line is cut off and was skipped'] };
}

/** Matches messages that launchers print if a program was aborted. */
export const abortWords =
  /Primary job\s+terminated|MPI_ABORT was invoked|exited on signal|^Abort\(|srun: error|BAD TERMINATION|mpirun has exited due to/;
