// Writes files in folders in which other users may have created something: never through a link, and never into a pipe or a device.
import { constants } from 'node:fs';
import { type FileHandle, link, open, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { toUnreadableFile, UnreadableFile } from './plain.ts';

/**
 * Flags for opening a file to append. Opening a link fails with ELOOP. Opening a pipe does not block, because O_RDWR also opens its
 * reading end.
 */
const appendHere =
  constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Opens a regular file for appending, and for reading its end; creates it if missing. The caller must close it.
 * @throws UnreadableFile if the name belongs to a link, a pipe or a device; otherwise the error of the file system
 */
export async function openToAppend(path: string): Promise<FileHandle> {
  const handle = await open(path, appendHere).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ELOOP' ? toUnreadableFile(error) : error;
  });
  const isPlain = (await handle.stat()).isFile();
  if (isPlain) return handle;
  await handle.close();
  throw new UnreadableFile('not-a-file', 'it is a pipe or a device, not a file');
}

/** Error codes with which file systems without hard links refuse to create one. */
const noLinks = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

/**
 * Creates a file whose full content is there from the moment at which its name exists (on a file system without hard links: shortly
 * after that).
 * @throws the error of the file system; its code is EEXIST if a file, folder or link has this name
 */
export async function createWhole(path: string, text: string): Promise<void> {
  const draft = join(dirname(path), `.${basename(path)}.${crypto.randomUUID()}.tmp`);
  try {
    await writeFile(draft, text, { flag: 'wx' });
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (!noLinks.includes(error.code ?? '')) throw error;
      return writeFile(path, text, { flag: 'wx' });
    });
  } finally {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}

/**
 * Replaces or creates a file so that readers see either the old or all of the new content. Its folder must exist. A symbolic link
 * with this name is replaced, not followed.
 * @param isSynced true = the new content is on disk (fsync) before it gets the name, so it survives a power failure; default: false
 * @throws the error of the file system; the old file is then unchanged
 */
export async function replaceWhole(
  path: string,
  text: string | Uint8Array,
  { isSynced = false } = {},
): Promise<void> {
  const draft = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
  try {
    // Removes a draft that a killed process with the same process id left. With "wx" a file or link that somebody planted is not
    // opened.
    await rm(draft, { force: true });
    const handle = await open(draft, 'wx');
    try {
      await handle.writeFile(text);
      if (isSynced) await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw error;
  }
}
