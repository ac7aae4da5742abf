/** Where something stands in a file; both count from 1. */
export interface SourcePosition {
  /** As the user would type it. */
  file: string;
  line: number;
  column: number;
}

export const placeText = ({ file, line, column }: SourcePosition): string => `${file}:${line}:${column}`;

/** A suite that cannot be used: where, what, and what is allowed. */
export class SuiteError extends Error {
  readonly lines: readonly string[];
  /** A word that is not known, and those that are: for "did you mean". */
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

/** The file itself, not what it says: it is missing, may not be read, or is no file. */
export class UnreadableSuite extends SuiteError {}
