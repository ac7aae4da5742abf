// Files that appear whole or not at all, in folders that others may have filled: nothing is written through a link.
import { constants } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Appends to the file itself: opening a link fails with ELOOP, so does opening a pipe that nobody reads (ENXIO). */
export const appendHere =
  constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

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
