import { constants, gunzipSync } from 'node:zlib';
import { openPlain, UnreadableFile } from '../files/plain.ts';
import { refuse } from '../refusals/refusal.ts';
import { bundleKind } from './write.ts';

/** Enough of a packed file to see what it begins with. */
const beginning = 4096;

/**
 * Whether a file is packed as bundles are; one that cannot be unpacked may be a damaged bundle, what begins otherwise is another
 * program's output that was packed. @throws Refusal it cannot be read
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

/** '' where it cannot be unpacked. */
function unpacked(start: Buffer): string {
  try {
    const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: 2 ** 24 };
    return gunzipSync(start, options).toString('utf8');
  } catch {
    return '';
  }
}
