import type { FileHandle } from 'node:fs/promises';
import { openPlain, type UnreadableFile } from '../files/plain.ts';
import { openToAppend } from '../files/whole.ts';
import { StoreError, writeError } from './errors.ts';

/**
 * Appends whole lines to one file. Each line is one write(): once append() has resolved the line is with the kernel and
 * survives kill -9 of this process (not a power cut: there is no fsync per line, which would disturb the measurement;
 * close() syncs). Appends are carried out in the order they were asked for. After an error nothing more is written, so
 * a file has at most one torn line, the last.
 */
export class LineFile {
  readonly path: string;
  private readonly handle: FileHandle;
  private readonly safe: () => string;
  private tail: Promise<void> = Promise.resolve();
  private closing: Promise<void> | null = null;

  /** @param safe tells what a reader of the error can rely on */
  constructor(path: string, handle: FileHandle, safe: () => string) {
    this.path = path;
    this.handle = handle;
    this.safe = safe;
  }

  static async open(path: string, safe: () => string): Promise<LineFile> {
    try {
      return new LineFile(path, await openToAppend(path), safe);
    } catch (error) {
      throw writeError(path, error, safe());
    }
  }

  /** @param text one line, or several that belong together. @throws StoreError (full, unwritable, write), then and for every later line */
  append(text: string): Promise<void> {
    const bytes = Buffer.from(text.endsWith('\n') ? text : `${text}\n`);
    const done = this.tail.then(() => this.write(bytes));
    // An error is told to whoever waits for this line and for later ones, and must not end the process otherwise.
    done.catch(() => undefined);
    this.tail = done;
    return done;
  }

  /** Waits for what was asked for, syncs and closes. @throws StoreError when a line could not be written */
  close(): Promise<void> {
    this.closing ??= this.finish();
    return this.closing;
  }

  private async finish(): Promise<void> {
    try {
      await this.tail;
      await this.handle.datasync().catch((error: NodeJS.ErrnoException) => {
        // Pipes and devices cannot be synced.
        if (error.code !== 'EINVAL' && error.code !== 'EROFS')
          throw writeError(this.path, error, this.safe());
      });
    } finally {
      await this.handle.close();
    }
  }

  private async write(bytes: Buffer): Promise<void> {
    try {
      let from = 0;
      // A short write happens on a disk that has just become full; the next one then says so.
      while (from < bytes.length) {
        const { bytesWritten } = await this.handle.write(bytes, from);
        from += bytesWritten;
      }
    } catch (error) {
      throw writeError(this.path, error, this.safe());
    }
  }
}

/**
 * Makes a file that a killed writer left end with a whole line: a torn last line is cut off, it was never told as written.
 * Nothing happens when the file does not exist.
 * @throws StoreError
 */
export async function mendTail(path: string, safe: string): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await openPlain(path, undefined, { links: false });
    let end = 0;
    let size = 0;
    for await (const chunk of handle.createReadStream({ autoClose: false, highWaterMark: 1 << 20 })) {
      const last = (chunk as Buffer).lastIndexOf(0x0a);
      if (last >= 0) end = size + last + 1;
      size += (chunk as Buffer).length;
    }
    if (end < size) {
      const writable = await openToAppend(path);
      await writable.truncate(end).finally(() => writable.close());
    }
  } catch (error) {
    if ((error as UnreadableFile).code !== 'ENOENT') throw writeError(path, error, safe);
  } finally {
    await handle?.close();
  }
}

export interface StoredLine {
  /** Counts from 1. */
  number: number;
  text: string;
  /** False for a last line without its line break. */
  complete: boolean;
}

/** No line of ours comes near it: a block of many thousand samples has a few MiB. */
const longestLine = 64 * 2 ** 20;

/**
 * Lines of a file, empty ones left out; nothing when the file does not exist.
 * @throws StoreError broken: no plain file, or a line without end
 */
export async function* readLines(path: string): AsyncGenerator<StoredLine> {
  let rest = '';
  let number = 0;
  const handle = await openPlain(path).catch((error: UnreadableFile) => {
    if (error.code === 'ENOENT') return null;
    throw new StoreError('broken', path, `${path} cannot be read: ${error.message}`);
  });
  if (handle === null) return;
  try {
    const chunks = handle.createReadStream({ autoClose: false, encoding: 'utf8', highWaterMark: 1 << 20 });
    for await (const chunk of chunks) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > longestLine) {
        const text = `${path}, line ${number + lines.length + 1}: longer than ${longestLine / 2 ** 20} MiB`;
        throw new StoreError('broken', path, text);
      }
      for (const text of lines) {
        number += 1;
        if (text.trim() !== '') yield { number, text, complete: true };
      }
    }
  } finally {
    await handle.close();
  }
  if (rest.trim() !== '') yield { number: number + 1, text: rest, complete: false };
}
