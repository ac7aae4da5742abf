import { constants, gunzipSync } from 'node:zlib';
import { openPlain, UnreadableFile } from '../files/plain.ts';
import { refuse } from '../refusals/refusal.ts';
import { bundleKind } from './write.ts';

/** Number of bytes that are read from the start of a packed file to recognise its content. */
const beginning = 4096;

/**
 * True if the file is a bundle: a run that collbench packed into one gzip file. A gzip file that cannot be unpacked counts as a
 * damaged bundle, so the result is true; a packed file with other content gives false.
 * @throws Refusal if the file cannot be read
 */
export async function isBundle(file: string): Promise<boolean> {
  try {
    const handle = await openPlain(file);
    try {
      const start = Buffer.alloc(beginning);
      const { bytesRead } = await handle.read(start, 0, beginning, 0);
      if (bytesRead < 2 || start[0] !== 0x1f || start[1] !== 0x8b) return false;
      const text = unpacked(start.subarray(0, bytesRead));
      return text === '' || text.startsWith(`{"type":"${bundleKind}"`);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof UnreadableFile) throw refuse('import-unreadable', { file, why: error.message });
    throw error;
  }
}

/** Unpacks the first bytes of a gzip file and returns the text that they give; '' if they cannot be unpacked. */
function unpacked(start: Buffer): string {
  try {
    const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: 2 ** 24 };
    return gunzipSync(start, options).toString('utf8');
  } catch {
    return '';
  }
}
