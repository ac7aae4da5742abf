// Files that are written in folders that others may have filled: nothing goes through a link, into a pipe or a device.
import { constants } from 'node:fs';
import { type FileHandle, link, open, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { toUnreadableFile, UnreadableFile } from './plain.ts';

/** A link fails with ELOOP; a pipe opens at once, because this end could read it, too. */
const appendHere =
  constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Opens a plain file to append to it and to read its end; makes it where there is none. The caller closes it.
 * @throws UnreadableFile the name belongs to a link, a pipe or a device; the error of the file system
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

/** Error codes of file systems without hard links. */
const noLinks = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

/** Makes a file that has its content from the first moment, under a name that nobody has. @throws EEXIST and others */
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

/** The file appears whole or not at all; a link of its name is replaced, not followed. */
export async function replaceWhole(
  path: string,
  text: string | Uint8Array,
  { isSynced = false } = {},
): Promise<void> {
  const draft = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
  try {
    // What a killed process of the same number left goes first; with "wx" nothing that is planted is opened.
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
