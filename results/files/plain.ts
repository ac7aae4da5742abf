// Files that somebody else could have made are read here alone: a pipe that nobody writes, a device without end or a huge
// file must neither block this process nor fill its memory. `node tests/walls.mjs` allows no other way.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Enough for what is written by hand: options, hosts, keys. */
export const writtenByHand = 4 * 2 ** 20;

const reasons: Record<string, string> = {
  ENOENT: 'there is no such file',
  EACCES: 'it may not be read',
  ELOOP: 'it is a link',
  EISDIR: 'it is a folder',
};

/** Why a file cannot be read, in words; `code` as Node has it, or what is wrong with the file. */
export class UnreadableFile extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'UnreadableFile';
    this.code = code;
  }
}

/** The same error in words. */
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

/** What a shell hands over as <(program): its other end is open, so that reading it ends. */
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

/** Without O_NONBLOCK a pipe that nobody writes would never be opened. */
const flagsFor = (file: string, links: boolean): number =>
  constants.O_RDONLY | (isHandedOver(file) ? 0 : constants.O_NONBLOCK) | (links ? 0 : constants.O_NOFOLLOW);

/**
 * Opens a plain file. The caller closes it.
 * @param links whether a link may stand for the file
 * @throws UnreadableFile
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

/** Never holds more than `most` bytes, even where the file grows. @throws UnreadableFile */
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

/** @throws UnreadableFile */
export const readPlainText = async (file: string, most: number): Promise<string> =>
  (await readPlain(file, most)).toString('utf8');

/** Text of a file that must be read before anything else can begin. @throws UnreadableFile */
export const readPlainTextSync = (file: string, most: number): string =>
  readPlainSync(file, most).toString('utf8');

/** Blocks only while the bytes of a plain file are read. @throws UnreadableFile */
export function readPlainSync(file: string, most: number, { links = true } = {}): Buffer {
  let at: number | undefined;
  try {
    at = openSync(file, flagsFor(file, links));
    const kind = fstatSync(at);
    requirePlain(file, kind, most);
    const parts: Buffer[] = [];
    let bytes = 0;
    // One part more than the size finds the end; files of /proc have the size 0.
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
