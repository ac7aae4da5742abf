import { writeFile } from 'node:fs/promises';
import { refuse } from '../results/refusals/refusal.ts';

/**
 * Writes a file that an option such as --html names.
 * @throws Refusal if it cannot be written
 */
export async function writeNamed(option: string, file: string, content: string | Uint8Array): Promise<void> {
  await writeFile(file, content).catch((error: Error) => {
    throw refuse('file-unwritable', { where: `${option} ${file}`, why: error.message });
  });
}
