import { readPlain, UnreadableFile } from '../files/plain.ts';
import { refuse } from '../refusals/refusal.ts';

/** All of it is held in memory while it is read. */
const mostBytes = 64 * 2 ** 20;

/** @param file a path, or `-` for stdin @throws Refusal it cannot be read, or is longer than 64 MiB */
export async function contentOf(file: string): Promise<Buffer> {
  try {
    return file === '-' ? await pieces(process.stdin) : await readPlain(file, mostBytes);
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    if (error.code === 'too-large') throw tooLarge();
    throw refuse('import-unreadable', { file, why: error.message });
  }
}

const tooLarge = () => refuse('import-too-large', { mostMiB: mostBytes / 2 ** 20 });

/** Never holds more than the limit, however long the stream is. */
async function pieces(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of stream) {
    bytes += part.length;
    if (bytes > mostBytes) throw tooLarge();
    parts.push(part);
  }
  return Buffer.concat(parts);
}
