import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { openPlain } from '../../../results/files/plain.ts';

/** SHA-256 of a file as hex, read in pieces; "not read: REASON" if the file cannot be read. */
export async function fileHash(file: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    const handle = await openPlain(file);
    await pipeline(handle.createReadStream({ highWaterMark: 2 ** 20 }), hash);
  } catch (error) {
    return `not read: ${error instanceof Error ? error.message : String(error)}`;
  }
  return hash.digest('hex');
}
