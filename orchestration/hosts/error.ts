/**
 * Error in hosts, ranks or groups as the user wrote them. `message` is a sentence, without full stop, that names the wrong value.
 */
export class HostsError extends Error {
  /**
   * Position of the error in the text that the user wrote, in characters from 0; null if the message alone shows where it is.
   */
  readonly offset: number | null;
  /** Advice for the user: a corrected text or option, or what to change; null if there is none. */
  readonly next: string | null;
  constructor(message: string, offset: number | null = null, next: string | null = null) {
    super(message);
    this.name = 'HostsError';
    this.offset = offset;
    this.next = next;
  }
}

/** Converts an offset in a text, from 0, to line and column, both counted from 1 as in editors. */
function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

/**
 * Calls `read`, which parses the text of a file, and returns its result. Adds file, line and column to the message of its errors.
 * @throws HostsError if `read` throws one; one without an offset stays unchanged. Other errors stay unchanged, too
 */
export function withPosition<T>(file: string, text: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof HostsError) || error.offset === null) throw error;
    const { line, column } = lineAndColumn(text, error.offset);
    throw new HostsError(`${file}:${line}:${column}: ${error.message}`, error.offset, error.next);
  }
}
