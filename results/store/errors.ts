import type { RefusalWording } from '../refusals/wording.ts';

/**
 * Kinds of errors when reading or writing stored runs. `code` never changes; the message is a complete text for users. bad-name: no
 * run, suite or baseline can have this name. not-found: no such run, several match, or the folder of all runs cannot be read.
 * names-suite, names-explanation, names-bisection: the name is that of a suite, an explanation or a bisection, but a run is needed.
 * exists: the file to write exists, or the folder to write to is not empty. unwritable: no permission, a read-only file system, or
 * a file in the path. full: no space on the disk. write: any other error of writing. newer: written by a later collbench. broken:
 * cannot be read or violates the schema. in-use: another process may be writing the run.
 */
export type StoreErrorCode =
  | 'bad-name'
  | 'not-found'
  | 'names-suite'
  | 'names-explanation'
  | 'names-bisection'
  | 'exists'
  | 'unwritable'
  | 'full'
  | 'write'
  | 'newer'
  | 'broken'
  | 'in-use';

export class StoreError extends Error {
  readonly code: StoreErrorCode;
  readonly path: string;
  /** Lines printed below the error message (`details`), and the command to use next (`next`); both may be absent. */
  readonly advice: Omit<RefusalWording, 'message'>;
  constructor(
    code: StoreErrorCode,
    path: string,
    message: string,
    { cause, ...advice }: ErrorOptions & Omit<RefusalWording, 'message'> = {},
  ) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'StoreError';
    this.code = code;
    this.path = path;
    this.advice = advice;
  }
}

/** True for the error that a suite was named where a run is needed. */
export const isOfSuite = (error: unknown): boolean =>
  error instanceof StoreError && error.code === 'names-suite';

/** True for the error that an explanation or a bisection was named where a run is needed. */
export const isOfFinding = (error: unknown): boolean =>
  error instanceof StoreError && (error.code === 'names-explanation' || error.code === 'names-bisection');

/**
 * Converts an error of the file system during writing into a StoreError for users, with the code `full`, `unwritable` or `write`. A
 * StoreError is returned unchanged.
 * @param safe sentence for the message that says which data are already on disk
 */
export function writeError(path: string, error: unknown, safe: string): StoreError {
  if (error instanceof StoreError) return error;
  const { code } = error as NodeJS.ErrnoException;
  const cause = error instanceof Error ? { cause: error } : {};
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT': {
      const what = code === 'ENOSPC' ? 'the disk is full' : 'the disk quota is used up';
      const text = `cannot write ${path}: ${what}. ${safe} Free some space, or choose another disk with --out.`;
      return new StoreError('full', path, text, cause);
    }
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'ENOTDIR': {
      const text = `cannot write ${path}: ${reason(code)}. ${safe} Choose another folder with --out.`;
      return new StoreError('unwritable', path, text, cause);
    }
    default: {
      const what = error instanceof Error ? error.message : String(error);
      return new StoreError('write', path, `cannot write ${path}: ${what}. ${safe}`, cause);
    }
  }
}

function reason(code: string): string {
  if (code === 'EROFS') return 'the file system is read-only';
  return code === 'ENOTDIR' ? 'a part of the path is a file, not a folder' : 'no permission';
}
