/** What is wrong with hosts, ranks or groups as somebody wrote them. `message` is a sentence that names the value. */
export class HostsError extends Error {
  /** LaunchContext in the text, counted in characters from 0; `null` where the message alone says it. */
  readonly offset: number | null;
  /** The way out; `null` where there is none worth typing. */
  readonly next: string | null;
  constructor(message: string, offset: number | null = null, next: string | null = null) {
    super(message);
    this.name = 'HostsError';
    this.offset = offset;
    this.next = next;
  }
}

/** `offset` of a text in the way of editors: line and column from 1. */
export function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

/** Runs a reader of a file's text; where it throws, the message gets file, line and column. @throws HostsError */
export function withPosition<T>(file: string, text: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof HostsError) || error.offset === null) throw error;
    const { line, column } = lineAndColumn(text, error.offset);
    throw new HostsError(`${file}:${line}:${column}: ${error.message}`, error.offset, error.next);
  }
}
