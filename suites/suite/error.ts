/** Position in a file; line and column start at 1. */
export interface SourcePosition {
  /** Path of the suite file or included file as messages show it: as typed, or library:NAME if collbench ships the file. */
  file: string;
  line: number;
  column: number;
}

export const placeText = ({ file, line, column }: SourcePosition): string => `${file}:${line}:${column}`;

/**
 * An error in a suite file (YAML). Its message has the file, the position in it if there is one, and the problem; `lines` are
 * further lines that say what is allowed.
 */
export class SuiteError extends Error {
  readonly lines: readonly string[];
  /** An unknown word of the file and the allowed words, from which messages make "did you mean"; null for other errors. */
  readonly unknown: { word: string; known: readonly string[] } | null;

  constructor(
    at: SourcePosition | string,
    message: string,
    lines: readonly string[] = [],
    unknown: SuiteError['unknown'] = null,
  ) {
    super(`${typeof at === 'string' ? at : placeText(at)}: ${message}`);
    this.name = 'SuiteError';
    this.lines = lines;
    this.unknown = unknown;
  }
}

/** Error for a suite file that cannot be read: it is missing, reading is not permitted, or it is not a regular file. */
export class UnreadableSuite extends SuiteError {}
