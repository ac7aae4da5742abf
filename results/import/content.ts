import { gunzipSync } from 'node:zlib';
import { readPlain, UnreadableFile } from '../files/plain.ts';
import { refuse } from '../refusals/refusal.ts';

/**
 * Highest size of a file in bytes, because its whole content is kept in memory. A trace of a few steps of a large model has about
 * this size.
 */
const maxBytes = 256 * 2 ** 20;

/**
 * Reads a file and decompresses it if it is gzip data.
 * @param file a path, or `-` for stdin
 * @throws Refusal if it cannot be read or decompressed, or is longer than 256 MiB before or after decompression
 */
export async function contentOf(file: string): Promise<Buffer> {
  try {
    const content = file === '-' ? await readStream(process.stdin) : await readPlain(file, maxBytes);
    return content[0] === 0x1f && content[1] === 0x8b ? unpacked(content, file) : content;
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    if (error.code === 'too-large') throw tooLarge();
    throw refuse('import-unreadable', { file, why: error.message });
  }
}

function unpacked(content: Buffer, file: string): Buffer {
  try {
    return gunzipSync(content, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw refuse('import-unreadable', { file, why: 'it begins as gzip packs, and cannot be unpacked' });
  }
}

const tooLarge = () => refuse('import-too-large', { maxMiB: maxBytes / 2 ** 20 });

/**
 * Reads a stream to its end. It never keeps more bytes than the limit, however long the stream is.
 * @throws Refusal if the stream is longer than 256 MiB
 */
async function readStream(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of stream) {
    bytes += part.length;
    if (bytes > maxBytes) throw tooLarge();
    parts.push(part);
  }
  return Buffer.concat(parts);
}
