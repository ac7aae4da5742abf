// Reads files that other users may have created. A pipe without a writer, an endless device or a huge file must neither block this
// process nor fill its memory. `node tests/walls.mjs` forbids other ways of reading files.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Highest size in bytes of a file that people write by hand: options, hosts, keys. */
export const writtenByHand = 4 * 2 ** 20;

const reasons: Record<string, string> = {
  ENOENT: 'there is no such file',
  EACCES: 'it may not be read',
  ELOOP: 'it is a link',
  EISDIR: 'it is a folder',
};

/**
 * Error with the reason why a file cannot be read, as text for users. `code`: the code of Node's error (ENOENT), not-a-file or
 * too-large.
 */
export class UnreadableFile extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'UnreadableFile';
    this.code = code;
  }
}

/** Converts an error from opening or reading a file to an UnreadableFile, whose message is for users. */
export const toUnreadableFile = (error: unknown): UnreadableFile => {
  if (error instanceof UnreadableFile) return error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  return new UnreadableFile(code, reasons[code] ?? message);
};

interface FileKind {
  isFile(): boolean;
  isFIFO(): boolean;
  isDirectory(): boolean;
  size: number;
}

/**
 * True for the path of a shell's process substitution, <(program). It is a pipe, but one with a writer, so reading it comes to an
 * end.
 */
const isHandedOver = (file: string): boolean => /^\/(?:dev|proc\/self)\/fd\/\d+$/.test(file);

function requirePlain(file: string, kind: FileKind, most: number): void {
  if (kind.isDirectory()) throw new UnreadableFile('EISDIR', 'it is a folder');
  if (!kind.isFile() && !(kind.isFIFO() && isHandedOver(file))) {
    throw new UnreadableFile('not-a-file', 'it is a pipe or a device, not a file');
  }
  if (kind.size > most) throw tooLarge(most);
}

const tooLarge = (most: number) =>
  new UnreadableFile('too-large', `it is larger than ${Math.floor(most / 2 ** 20)} MiB`);

/**
 * Returns the flags for open(). O_NONBLOCK is needed, because opening a pipe that has no writer would otherwise never return.
 * @param links false = opening fails if the path is a symbolic link
 */
const flagsFor = (file: string, links: boolean): number =>
  constants.O_RDONLY | (isHandedOver(file) ? 0 : constants.O_NONBLOCK) | (links ? 0 : constants.O_NOFOLLOW);

/**
 * Opens a regular file, or the pipe of a shell's <(program), for reading; rejects anything else. The caller must close it.
 * @param most highest size in bytes
 * @param links true (default) if the path may be a symbolic link
 * @throws UnreadableFile if it cannot be opened, is too large, a folder, a pipe or a device
 */
export async function openPlain(
  file: string,
  most = Number.POSITIVE_INFINITY,
  { links = true } = {},
): Promise<FileHandle> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, flagsFor(file, links));
    requirePlain(file, await handle.stat(), most);
    return handle;
  } catch (error) {
    await handle?.close();
    throw toUnreadableFile(error);
  }
}

/**
 * Reads a regular file, or the pipe of a shell's <(program), into memory.
 * @param most highest size in bytes, even if the file grows meanwhile
 * @param how `links`: true (default) if the path may be a symbolic link
 * @throws UnreadableFile if it is missing, too large, a folder, a pipe or a device
 */
export async function readPlain(file: string, most: number, how: { links?: boolean } = {}): Promise<Buffer> {
  const handle = await openPlain(file, most, how);
  try {
    const parts: Buffer[] = [];
    let bytes = 0;
    for await (const part of handle.createReadStream({ autoClose: false })) {
      bytes += part.length;
      if (bytes > most) throw tooLarge(most);
      parts.push(part);
    }
    return Buffer.concat(parts);
  } catch (error) {
    throw toUnreadableFile(error);
  } finally {
    await handle.close();
  }
}

/**
 * Reads a regular file, or the pipe of a shell's <(program), as UTF-8 text.
 * @param most highest size in bytes
 * @throws UnreadableFile if it is missing, larger, a folder, a pipe or a device
 */
export const readPlainText = async (file: string, most: number): Promise<string> =>
  (await readPlain(file, most)).toString('utf8');

/**
 * Reads a regular file, or the pipe of a shell's <(program), as UTF-8 text without asynchronous calls, for files that must be read
 * before anything else can start.
 * @param most highest size in bytes
 * @throws UnreadableFile if it is missing, larger, a folder, a pipe or a device
 */
export const readPlainTextSync = (file: string, most: number): string =>
  readPlainSync(file, most).toString('utf8');

/**
 * Reads a regular file without asynchronous calls. Pipes (other than those of a shell's <(program)) and devices are rejected, so
 * the call never waits for a writer.
 * @param most highest size in bytes
 * @param links true (default) if the path may be a symbolic link
 * @throws UnreadableFile if it is missing, larger, a folder, a pipe or a device
 */
export function readPlainSync(file: string, most: number, { links = true } = {}): Buffer {
  let at: number | undefined;
  try {
    at = openSync(file, flagsFor(file, links));
    const kind = fstatSync(at);
    requirePlain(file, kind, most);
    const parts: Buffer[] = [];
    let bytes = 0;
    // The first buffer is larger than the file, so that a single read usually gets all of it. Files of /proc have the size 0.
    const partBytes = Math.max(64 * 2 ** 10, kind.size + 1);
    for (;;) {
      const part = Buffer.allocUnsafe(bytes === 0 ? partBytes : 64 * 2 ** 10);
      const got = readSync(at, part);
      if (got === 0) return Buffer.concat(parts);
      bytes += got;
      if (bytes > most) throw tooLarge(most);
      parts.push(part.subarray(0, got));
    }
  } catch (error) {
    throw toUnreadableFile(error);
  } finally {
    if (at !== undefined) closeSync(at);
  }
}
