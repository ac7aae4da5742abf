import { lstat, mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/**
 * Creates a folder and its missing parents; does nothing if it exists, or is a link to a folder. Node's recursive mkdir() is not
 * used, because it never ends below /proc.
 * @throws the error of the file system; ENOTDIR if a file has the folder's name
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') {
      if ((await stat(folder)).isDirectory()) return;
      throw Object.assign(new Error(`${folder} is no folder`), { code: 'ENOTDIR' });
    }
    const parent = dirname(folder);
    const isMissing = codeOf(error) === 'ENOENT' && parent !== folder;
    if (!isMissing || (await stat(parent).catch(() => null)) !== null) throw error;
    await makeFolder(parent);
    await mkdir(folder);
  }
}

/**
 * Creates the folder `name` in `parent`, and also `parent`, unless they exist already.
 * @returns the path of the folder
 * @throws Error if a link or a file has the folder's name; errors of the file system
 */
export async function innerFolder(parent: string, name: string): Promise<string> {
  const folder = join(parent, name);
  await makeFolder(parent);
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const there = await lstat(folder);
  if (there.isDirectory()) return folder;
  const what = there.isSymbolicLink()
    ? 'a link; nothing is written through links in the folder of a run'
    : 'no folder';
  throw new Error(`${folder} is ${what}`);
}
