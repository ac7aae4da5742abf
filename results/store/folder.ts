// Handles folders with one record that is rewritten as it grows: suites, explanations, bisections and crosschecks.

import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { z } from 'zod';
import { makeFolder } from '../files/folders.ts';
import { parseJson } from '../files/json.ts';
import { readPlainText } from '../files/plain.ts';
import type { CrosscheckRecord } from '../schema/index.ts';
import { StoreError, writeError } from './errors.ts';
import { idOf } from './folders.ts';
import { defaultRoot, maxRecordBytes } from './paths.ts';
import { check } from './records.ts';
import type { FolderOptions } from './types.ts';
import { replaceFile, requireEmptyFolder } from './write.ts';

/**
 * A kind of folder with one record: name of the record's file, its schema, and the word in the folder's name that shows the kind.
 */
export interface FolderKind<T> {
  file: string;
  word: string;
  schema: z.ZodType<T>;
}

/** A stored suite, finding or crosscheck: path of its folder (`dir`) and content of the record file in it. */
export interface LoadedFolder<T> {
  dir: string;
  record: T;
}

/**
 * Reads the record in a folder. Null if the file does not exist or cannot be read: no permission, larger than `maxRecordBytes`, or
 * not a plain file, such as a pipe.
 * @throws StoreError broken: the content is no JSON or violates the schema; newer: it is of a later collbench
 */
export async function readFolder<T>({ file, schema }: FolderKind<T>, dir: string): Promise<T | null> {
  const path = join(dir, file);
  let text: string;
  try {
    text = await readPlainText(path, maxRecordBytes);
  } catch {
    return null;
  }
  let raw: unknown;
  try {
    raw = parseJson(text);
  } catch (error) {
    throw new StoreError('broken', path, `${path} cannot be read: ${(error as Error).message}`);
  }
  return check(path, schema, raw);
}

/**
 * Finds the folder of this kind that `word` names: by its path, also relative to `root`; or, in `root`, by its id or the start of
 * its name or id. A folder whose name the user chose (`--out`) is found only by its path. An equal id takes precedence over starts.
 * Null if there is none, or if `word` is ''. A `root` that cannot be read counts as empty.
 * @throws StoreError broken, newer; not-found if several folders match
 */
export async function findFolder<T>(
  kind: FolderKind<T>,
  word: string,
  root: string,
): Promise<LoadedFolder<T> | null> {
  if (word === '') return null;
  for (const dir of [resolve(word), resolve(root, word)]) {
    const record = await readFolder(kind, dir);
    if (record !== null) return { dir, record };
  }
  const names = await namesOf(kind, root);
  const matches = names.filter((name) => name.startsWith(word) || idOf(name).startsWith(word));
  const exact = matches.filter((name) => idOf(name) === word);
  const [only, second] = exact.length > 0 ? exact : matches;
  if (only === undefined) return null;
  if (second !== undefined) throw ambiguousName(word, matches);
  const dir = resolve(root, only);
  const record = await readFolder(kind, dir);
  return record === null ? null : { dir, record };
}

/**
 * Returns the folders of this kind in `root` whose record can be read, oldest first; [] if `root` cannot be read. Other records are
 * left out without an error. Folders whose names the user chose (`--out`) are left out, because only generated names show the kind.
 * @param isWanted true for the names of folders that are read; default: all
 */
export async function listFolders<T>(
  kind: FolderKind<T>,
  root: string,
  isWanted: (name: string) => boolean = () => true,
): Promise<LoadedFolder<T>[]> {
  const folders: LoadedFolder<T>[] = [];
  for (const name of (await namesOf(kind, root)).filter(isWanted)) {
    const dir = resolve(root, name);
    const record = await readFolder(kind, dir).catch(() => null);
    if (record !== null) folders.push({ dir, record });
  }
  return folders;
}

const namesOf = async ({ word }: FolderKind<unknown>, root: string): Promise<string[]> =>
  (await readdir(root).catch(() => [])).filter((name) => name.includes(`-${word}-`)).sort();

/**
 * Returns the error that `word` could name any of several stored folders.
 * @param names names of these folders; the first five are shown
 */
export const ambiguousName = (word: string, names: readonly string[]): StoreError =>
  new StoreError(
    'not-found',
    word,
    `'${word}' could be any of: ${names.slice(0, 5).join(', ')}. Give more of the name.`,
    { next: { words: ['runs'], keep: ['root'] } },
  );

export interface RecordWriter<T> {
  readonly dir: string;
  /** Replaces the record in the folder atomically. Await each call before the next. @throws StoreError full, unwritable, write */
  update(record: T): Promise<void>;
}

/**
 * Creates the folder `<root>/<UTC time>-<words>-<id>` of a suite, finding or crosscheck, or the folder `out`, and writes `record`
 * into it as `file`. In `words`, characters that are unsafe in a file name become `_`, and each word is cut to 40 characters.
 * @throws StoreError exists (`out` is not empty), unwritable, full, write
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
  const writer = openFolder<T>(file, dir);
  await writer.update(record);
  return writer;
}

/**
 * Returns the writer of the record `file` in the folder `dir`, which must exist. Nothing is read or written before update() is
 * called.
 */
export const openFolder = <T>(file: string, dir: string): RecordWriter<T> => ({
  dir,
  update: (next) =>
    replaceFile(join(dir, file), `${JSON.stringify(next, null, 2)}\n`, 'What was measured before is safe.'),
});

/** File name of the results of a crosscheck, which compares times of collbench and of nccl-tests or OSU on the same machines. */
export const crosscheckFile = 'crosscheck.json';

/**
 * Creates the folder of a crosscheck (times of collbench compared with those of nccl-tests or OSU) and writes `record` into it.
 * @throws StoreError exists (`out` is not empty), unwritable, full, write
 */
export const createCrosscheck = (
  record: CrosscheckRecord,
  options: FolderOptions,
): Promise<RecordWriter<CrosscheckRecord>> => createFolder(crosscheckFile, record, ['crosscheck'], options);
