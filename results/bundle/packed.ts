import { openPlain, UnreadableFile } from '../files/plain.ts';
import { refuse } from '../refusals/refusal.ts';

/** Whether a file begins as packed files do. @throws Refusal it cannot be read */
export async function isPacked(file: string): Promise<boolean> {
  try {
    const handle = await openPlain(file);
    try {
      const start = Buffer.alloc(2);
      const { bytesRead } = await handle.read(start, 0, 2, 0);
      return bytesRead === 2 && start[0] === 0x1f && start[1] === 0x8b;
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof UnreadableFile) throw refuse('import-unreadable', { file, why: error.message });
    throw error;
  }
}
