import type { FileHandle } from 'node:fs/promises';
import { openPlain, type UnreadableFile } from '../files/plain.ts';
import { openToAppend } from '../files/whole.ts';
import { StoreError, writeError } from './errors.ts';

/**
 * A file to which whole lines are appended, each with one write(). Once append() has resolved, the kernel has the line, so it
 * survives a kill -9 of this process. It may not survive a power failure, because an fsync per line would disturb the measurement;
 * close() syncs the file. Lines are written in the order of the calls. After an error nothing more is written, so only the last
 * line of a file can be incomplete.
 */
export class LineFile {
  readonly path: string;
  private readonly handle: FileHandle;
  private readonly safe: () => string;
  private tail: Promise<void> = Promise.resolve();
  private closing: Promise<void> | null = null;

  /**
   * @param handle open to append; close() closes it
   * @param safe returns a sentence for error messages that says which data are safe
   */
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

  /**
   * Appends text, with a line break if it does not end with one. Resolves when the kernel has it.
   * @param text one line, or several that belong together
   * @throws StoreError (full, unwritable, write) for this text and all later ones; the promise rejects
   */
  append(text: string): Promise<void> {
    const bytes = Buffer.from(text.endsWith('\n') ? text : `${text}\n`);
    const done = this.tail.then(() => this.write(bytes));
    // The error reaches every caller that waits for this line or a later one. This handler keeps an unhandled rejection from
    // ending the process.
    done.catch(() => undefined);
    this.tail = done;
    return done;
  }

  /**
   * Waits for all pending lines, syncs and closes the file; further calls return the same promise.
   * @throws StoreError if a line could not be written, or the file not be synced
   */
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
      // A write may be short if the disk has just become full; the next write then reports the error.
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
 * Removes a last line without line break from a file: a killed process leaves such a line, and its append() had not resolved. Does
 * nothing if the file does not exist.
 * @param safe sentence for error messages that says which data are already on disk
 * @throws StoreError if the file cannot be read or written
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
  /** Number of the line in the file, counted from 1. */
  number: number;
  text: string;
  /** False for a last line without line break, because its writer was killed or is still writing it. */
  complete: boolean;
}

/** Highest length of a stored JSON line in characters. Actual lines are far shorter: many thousand samples have a few MiB. */
const longestLine = 64 * 2 ** 20;

/**
 * Yields the lines of a stored NDJSON file except empty ones; nothing if the file does not exist. A last line without line break
 * has `complete` false.
 * @throws StoreError broken: the file cannot be read, is not a plain file, or has a line longer than `longestLine`; the iteration
 * rejects
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
