// Folders with one record that is rewritten as it grows: suites and crosschecks.

import { join, resolve } from 'node:path';
import { makeFolder } from '../files/folders.ts';
import type { CrosscheckRecord } from '../schema/index.ts';
import { writeError } from './errors.ts';
import { defaultRoot } from './paths.ts';
import { replaceFile, requireEmptyFolder } from './write.ts';

export interface FolderOptions {
  /** Folder in which runs are created; absent = `collbench-runs` in the working directory. */
  root?: string;
  /** Folder to write to, instead of a new one with a generated name. It is created, or must be empty. */
  out?: string;
}

export interface RecordWriter<T> {
  readonly dir: string;
  /** Replaces the record in the folder atomically. */
  update(record: T): Promise<void>;
}

/**
 * Creates the folder `<root>/<UTC time>-<words>-<id>` of a suite or crosscheck, or `out`, and writes `record` into its file
 * named `file`. Characters of `words` that are unsafe in a file name become `_`; each is cut to 40.
 * @throws StoreError exists (`out` is not empty), unwritable, full
 */
export async function createFolder<T extends { id: string; startedAt: string }>(
  file: string,
  record: T,
  words: readonly string[],
  { root = defaultRoot, out }: FolderOptions,
): Promise<RecordWriter<T>> {
  const time = record.startedAt.replace(/\.\d+/, '').replaceAll(':', '-');
  const safe = words.map((word) => word.replace(/[^A-Za-z0-9._-]/g, '_').slice(0, 40));
  const dir = resolve(out ?? join(root, [time, ...safe, record.id].join('-')));
  if (out !== undefined) await requireEmptyFolder(dir);
  try {
    await makeFolder(dir);
  } catch (error) {
    throw writeError(dir, error, 'Nothing was measured yet.');
  }
  const update = (next: T): Promise<void> =>
    replaceFile(join(dir, file), `${JSON.stringify(next, null, 2)}\n`, 'What was measured before is safe.');
  await update(record);
  return { dir, update };
}

/** File name of the results of a crosscheck, which compares times of collbench and nccl-tests on the same GPUs. */
export const crosscheckFile = 'crosscheck.json';

/** Creates the folder of a crosscheck (collbench compared with nccl-tests). @throws StoreError exists, unwritable, full */
export const createCrosscheck = (
  record: CrosscheckRecord,
  options: FolderOptions,
): Promise<RecordWriter<CrosscheckRecord>> => createFolder(crosscheckFile, record, ['crosscheck'], options);
