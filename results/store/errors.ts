/** Kinds of errors when reading or writing stored runs. `code` never changes; the message is a complete text for users. */
export type StoreErrorCode =
  /** bad-name: the text can be the name of no run, suite or baseline. */
  'bad-name' | 'not-found' | 'exists' | 'unwritable' | 'full' | 'write' | 'newer' | 'broken' | 'in-use';

export class StoreError extends Error {
  readonly code: StoreErrorCode;
  readonly path: string;
  constructor(code: StoreErrorCode, path: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreError';
    this.code = code;
    this.path = path;
  }
}

/**
 * Converts an error of the file system during writing into a StoreError for users.
 * @param safe a full sentence that says which data are safe
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
