import { writeFile } from 'node:fs/promises';
import { refuse } from '../results/refusals/refusal.ts';
import { nearPath, printError } from './terminal.ts';

/**
 * Writes a file that an option names, or the page of a command, in a folder that must exist; an older file is replaced.
 * @param option for the error: name of the option with dashes, such as "--html", or of the command that writes a page into its
 * folder
 * @throws Refusal if the file cannot be written
 */
export async function writeNamed(option: string, file: string, content: string | Uint8Array): Promise<void> {
  await writeFile(file, content).catch((error: Error) => {
    throw refuse('file-unwritable', { where: `${option} ${file}`, why: error.message });
  });
}

/** Writes the picture that --png asks for, and prints the file's path on stderr. @throws Refusal if the file cannot be written */
export async function writePicture(file: string, picture: Uint8Array): Promise<void> {
  await writeNamed('--png', file, picture);
  printError(`picture: ${nearPath(file)}\n`);
}
