import { readdir, stat } from 'node:fs/promises';
import { StoreError } from './errors.ts';

/**
 * Returns the names of all folders and links in `root` (the folder of all runs), unsorted; [] if `root` does not exist or is not a
 * folder.
 * @throws StoreError not-found if `root` cannot be read
 */
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

/**
 * Returns the id of a run, suite or finding: the text after the last dash of its folder's name; the whole name if it has no dash.
 */
export const idOf = (name: string): string => name.split('-').at(-1) ?? name;

/**
 * Returns the start of a run up to the second, "yyyy-mm-ddThh-mm-ss".
 * @param name name of the run's folder, which begins with this time
 */
export const secondOf = (name: string): string => name.slice(0, 'yyyy-mm-ddThh-mm-ss'.length);
