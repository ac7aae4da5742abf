import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { readPlain, UnreadableFile } from '../../results/files/plain.ts';
import { SuiteError, UnreadableSuite } from './error.ts';
import { largestBytes } from './yaml.ts';

/**
 * Text of a regular file of limited size; links, devices and pipes are rejected.
 * @param name name of the file in messages
 * @throws SuiteError if the file cannot be read, or is not UTF-8
 */
export async function readBounded(file: string, name: string): Promise<string> {
  try {
    const bytes = await readPlain(file, largestBytes, { links: false });
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof UnreadableFile) throw unreadable(name, error);
    throw new SuiteError(name, 'not text in UTF-8');
  }
}

function unreadable(name: string, { code, message }: UnreadableFile): SuiteError {
  if (code !== 'too-large') return new UnreadableSuite(name, message);
  return new SuiteError(name, 'too large for a suite', [`  allowed: up to ${largestBytes} bytes`]);
}

const allowed = ['  allowed: a file of the same folder or below it (common.yaml), or library:NAME'];

/**
 * Path of the file that an `include` line names. It must be inside the folder of the suite.
 * @throws SuiteError if the file is outside the folder: an absolute path, "..", or through a link, or does not exist
 */
export async function includedFile(
  folder: string,
  name: string,
  at: ConstructorParameters<typeof SuiteError>[0],
): Promise<string> {
  const isOutside = path.isAbsolute(name) || name.split(/[/\\]/).includes('..') || /[\p{Cc}\\]/u.test(name);
  if (isOutside || name === '') throw new SuiteError(at, `include '${name}': not below the suite`, allowed);
  const file = path.join(folder, name);
  const real = await realpath(file).catch(() => null);
  if (real === null) throw new SuiteError(at, `include '${name}': there is no such file`, allowed);
  if (real !== path.join(await realpath(folder), name)) {
    throw new SuiteError(at, `include '${name}': reached over a link`, allowed);
  }
  return real;
}
