import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import path from 'node:path';
import { SuiteError } from './error.ts';
import { largestBytes } from './yaml.ts';

/** Text of a plain file of bounded size: no link, no device, no pipe. @throws SuiteError */
export async function readBounded(file: string, name: string): Promise<string> {
  try {
    // Without O_NONBLOCK a pipe that nobody writes would never be opened.
    const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const there = await handle.stat();
      if (!there.isFile()) throw new SuiteError(name, 'not a file');
      if (there.size > largestBytes) throw tooLarge(name);
      // One byte more than allowed: the file may have grown since.
      const buffer = Buffer.alloc(largestBytes + 1);
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
      if (bytesRead > largestBytes) throw tooLarge(name);
      return new TextDecoder('utf-8', { fatal: true }).decode(buffer.subarray(0, bytesRead));
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof SuiteError) throw error;
    throw new SuiteError(name, reasonOf(error));
  }
}

const tooLarge = (name: string) =>
  new SuiteError(name, 'too large for a suite', [`  allowed: up to ${largestBytes} bytes`]);

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'ELOOP') return 'a link, not a file';
  if (code === 'EACCES') return 'it may not be read';
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return 'not text in UTF-8';
  return `cannot be read (${message})`;
}

const allowed = ['  allowed: a file of the same folder or below it (common.yaml), or library:NAME'];

/**
 * The file that an `include` names, within the folder of the suite.
 * @throws SuiteError a way out of the folder: absolute, "..", or over a link
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
