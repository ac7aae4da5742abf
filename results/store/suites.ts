// Suites on disk. A suite's folder is next to the folders of its runs, which are ordinary runs.

import { readdir } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { parseJson } from '../files/json.ts';
import { readPlainText } from '../files/plain.ts';
import { type SuiteRecord, suiteRecord } from '../schema/index.ts';
import { StoreError } from './errors.ts';
import { createFolder, type FolderOptions, type RecordWriter } from './folder.ts';
import { idOf } from './folders.ts';
import { listRuns } from './list.ts';
import { defaultRoot, maxRecordBytes } from './paths.ts';
import { check } from './records.ts';

export const suiteFile = 'suite.json';

export type SuiteWriter = RecordWriter<SuiteRecord>;

/** A stored suite (several runs that one suite file defines): its folder, with the content of its suite.json. */
export interface LoadedSuite {
  dir: string;
  record: SuiteRecord;
}

/**
 * Makes the folder of a suite (several runs that one file defines), `<root>/<UTC time>-suite-<name>-<id>` or `out`, with its
 * suite.json.
 * @throws StoreError exists, unwritable, full
 */
export const createSuite = (record: SuiteRecord, options: FolderOptions): Promise<SuiteWriter> =>
  createFolder(suiteFile, record, ['suite', record.name], options);

/** Returns the path of a run's folder in the form that suite.json stores: relative to the suite's folder, with slashes. */
export const runFolder = (suiteDir: string, runDir: string): string =>
  relative(suiteDir, runDir).replaceAll('\\', '/');

/** Returns all runs of a suite, in the order in which the suite file lists its measurements, also those of a reference build. */
export const runsOfSuite = ({ record }: LoadedSuite) =>
  record.entries.flatMap(({ name, runs }) => runs.map((run) => ({ entry: name, ...run })));

/**
 * Finds a suite by its folder, its id, or the start of either; null if there is none. A suite in a folder that `--out` named is
 * found through its runs, because each run below `root` stores its suite's folder.
 * @throws StoreError broken, newer; not-found if several suites match
 */
export const openSuite = async (word: string, root: string = defaultRoot): Promise<LoadedSuite | null> =>
  (await suiteBeside(word, root)) ?? suiteElsewhere(word, root);

/**
 * Finds a suite by its id, or the start of its id (`word`), in a folder outside `root`. Runs below `root` store the id and
 * folder of their suite, so the folder is taken from a run. Null if no run belongs to such a suite, or if its folder has another
 * one.
 * @throws StoreError not-found if several suites match; broken, newer
 */
export async function suiteElsewhere(word: string, root: string): Promise<LoadedSuite | null> {
  if (word === '') return null;
  const folders = new Map<string, string>();
  for (const { suite } of await listRuns(root))
    if (suite?.folder !== undefined && suite.id.startsWith(word)) folders.set(suite.id, suite.folder);
  if (folders.size > 1 && !folders.has(word)) throw ambiguous(word, [...folders.keys()]);
  const [id, folder] = folders.has(word) ? [word, folders.get(word)] : ([...folders][0] ?? []);
  if (id === undefined || folder === undefined) return null;
  const dir = resolve(root, folder);
  const record = await readSuiteRecord(dir);
  return record?.id === id ? { dir, record } : null;
}

/**
 * Finds a suite by the path of its folder. If the folder is directly in `root`, also by its id, or by the start of its name or
 * id. Null if there is none.
 * @throws StoreError not-found if several suites match; broken, newer
 */
export async function suiteBeside(word: string, root: string): Promise<LoadedSuite | null> {
  if (word === '') return null;
  for (const dir of [resolve(word), resolve(root, word)]) {
    const record = await readSuiteRecord(dir);
    if (record !== null) return { dir, record };
  }
  const names = (await readdir(root).catch(() => [])).filter((name) => name.includes('-suite-'));
  const matches = names.filter((name) => name.startsWith(word) || idOf(name).startsWith(word));
  const exact = matches.filter((name) => idOf(name) === word);
  const [only, second] = exact.length > 0 ? exact : matches;
  if (only === undefined) return null;
  if (second !== undefined) throw ambiguous(word, matches);
  const dir = resolve(root, only);
  const record = await readSuiteRecord(dir);
  return record === null ? null : { dir, record };
}

const ambiguous = (word: string, names: readonly string[]): StoreError =>
  new StoreError(
    'not-found',
    word,
    `'${word}' could be any of: ${names.slice(0, 5).join(', ')}. Give more of the name.`,
    { next: { words: ['runs'], keep: ['root'] } },
  );

/**
 * Returns all suites (sets of runs) in the folder `root`, oldest first. Folders without "-suite-" in their names, or without a
 * readable suite.json, are left out.
 */
export async function listSuites(root: string): Promise<LoadedSuite[]> {
  const names = (await readdir(root).catch(() => [])).filter((name) => name.includes('-suite-')).sort();
  const suites: LoadedSuite[] = [];
  for (const name of names) {
    const dir = resolve(root, name);
    const record = await readSuiteRecord(dir).catch(() => null);
    if (record !== null) suites.push({ dir, record });
  }
  return suites;
}

async function readSuiteRecord(dir: string): Promise<SuiteRecord | null> {
  const path = join(dir, suiteFile);
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
  return check(path, suiteRecord, raw);
}
