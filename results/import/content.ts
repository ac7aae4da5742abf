import { open } from 'node:fs/promises';
import { refuse } from '../refusals/refusal.ts';

/** All of it is held in memory while it is read. */
const mostBytes = 64 * 2 ** 20;

const reasons: Record<string, string> = {
  ENOENT: 'there is no such file',
  EISDIR: 'is a folder',
  EACCES: 'may not be read',
};

/** @param file a path, or `-` for stdin @throws Refusal it cannot be read, or is longer than 64 MiB */
export async function contentOf(file: string): Promise<Buffer> {
  const content = await (file === '-' ? pieces(process.stdin) : fromFile(file)).catch(
    ({ code, message }: NodeJS.ErrnoException) => {
      throw refuse('import-unreadable', { file, why: reasons[code ?? ''] ?? message });
    },
  );
  if (content === null) throw refuse('import-too-large', { mostMiB: mostBytes / 2 ** 20 });
  return content;
}

async function fromFile(file: string): Promise<Buffer | null> {
  const handle = await open(file, 'r');
  try {
    if ((await handle.stat()).isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
    return await pieces(handle.createReadStream({ autoClose: false }));
  } finally {
    await handle.close();
  }
}

/** Never holds more than the limit, however long the stream is; null where it is longer. */
async function pieces(stream: AsyncIterable<Buffer>): Promise<Buffer | null> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of stream) {
    bytes += part.length;
    if (bytes > mostBytes) return null;
    parts.push(part);
  }
  return Buffer.concat(parts);
}
