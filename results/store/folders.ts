import { readdir, stat } from 'node:fs/promises';
import { StoreError } from './errors.ts';

/** Names of the folders in `root`, links included; none if `root` does not exist. @throws StoreError */
export async function foldersOf(root: string): Promise<string[]> {
  try {
    const entries = await readdir(root, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() || entry.isSymbolicLink() ? [entry.name] : []));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    const what = error instanceof Error ? error.message : String(error);
    throw new StoreError('not-found', root, `the runs in ${root} cannot be listed: ${what}`, {
      cause: error,
    });
  }
}

export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** The id is the last part of a folder's name. */
export const idOf = (name: string): string => name.split('-').at(-1) ?? name;

/** @param name of a run's folder: it begins with the second of the start */
export const secondOf = (name: string): string => name.slice(0, 'yyyy-mm-ddThh-mm-ss'.length);
