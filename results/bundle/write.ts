import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { link, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createGzip } from 'node:zlib';
import { StoreError, writeError } from '../store/errors.ts';
import { exists } from '../store/folders.ts';
import type { LoadedRun } from '../store/types.ts';
import { redactedRun } from './redacted-run.ts';

/** Value of the field `type` in the first line of a bundle (a run packed into one file), by which a bundle is recognised. */
export const bundleKind = 'collbench-bundle';
export const bundleVersion = 1;

/**
 * Writes a run into one gzip file of JSON lines: its record, results and samples. Private names, paths and addresses are replaced,
 * and private parts are left out, as by redactedRun(). If an error occurs, no file is left.
 * @param version version of the collbench that writes the bundle
 * @returns number of result lines (cells) and of sample lines (blocks)
 * @throws StoreError exists: the file exists; unwritable, full, write; broken, newer if the samples cannot be read
 */
export async function writeBundle(
  run: LoadedRun,
  file: string,
  version: string,
): Promise<{ cells: number; blocks: number }> {
  const { record, redactor } = redactedRun(run.record);
  const draft = join(dirname(file), `.${basename(file)}.${process.pid}.tmp`);
  const safe = 'The run is as it was.';
  if (await exists(file)) throw existsAlready(file);
  let blocks = 0;
  try {
    await rm(draft, { force: true });
    const gzip = createGzip();
    const target = createWriteStream(draft, { flags: 'wx', mode: 0o644 });
    const ended = new Promise<void>((resolve, reject) => {
      target.on('finish', resolve).on('error', reject);
      gzip.on('error', reject);
    });
    // The error reaches the code that awaits `ended`. This handler keeps an unhandled rejection from ending the process.
    ended.catch(() => undefined);
    gzip.pipe(target);
    const line = async (value: object): Promise<void> => {
      if (!gzip.write(`${JSON.stringify(value)}\n`)) await Promise.race([once(gzip, 'drain'), ended]);
    };
    await line({ type: bundleKind, version: bundleVersion, collbench: version, record });
    for (const cell of run.cells) await line({ type: 'cell', cell: redactor.deep(cell) });
    for await (const block of run.blocks()) {
      await line({ type: 'block', block: redactor.deep(block) });
      blocks += 1;
    }
    await line({ type: 'end', cells: run.cells.length, blocks });
    gzip.end();
    await ended;
    // Unlike a rename, a link never replaces a file that another process has created.
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EEXIST' ? existsAlready(file) : error;
    });
  } catch (error) {
    throw error instanceof StoreError ? error : writeError(file, error, safe);
  } finally {
    await rm(draft, { force: true }).catch(() => undefined);
  }
  return { cells: run.cells.length, blocks };
}

const existsAlready = (file: string): StoreError =>
  new StoreError('exists', file, `${file} is there already. Nothing was changed. Give --out another file.`);
