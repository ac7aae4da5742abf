import { lstat } from 'node:fs/promises';
import { replaceWhole } from '../../../results/files/whole.ts';
import { refuse } from '../../../results/refusals/refusal.ts';

export const drainFlag = {
  drain: {
    help: 'Write a line per node, for a scheduler: "NODE pass", "NODE fail REASON" or "NODE unknown REASON"',
    value: 'FILE',
    parse: String,
  },
} as const;

/**
 * Writes or replaces the file atomically.
 * @throws Refusal if it cannot be written, or is a folder, pipe or device
 */
export async function writeDrain(file: string, text: string): Promise<void> {
  const where = `--drain ${file}`;
  const there = await lstat(file).catch(() => null);
  if (there !== null && !there.isFile() && !there.isSymbolicLink()) {
    throw refuse('file-unwritable', { where, why: 'it is a folder, a pipe or a device' });
  }
  await replaceWhole(file, text).catch((error: Error) => {
    throw refuse('file-unwritable', { where, why: error.message });
  });
}
