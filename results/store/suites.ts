// Reads and writes suites. A suite's folder is next to the folders of its runs, which are ordinary runs.

import { relative, resolve } from 'node:path';
import { type SuiteRecord, suiteRecord } from '../schema/index.ts';
import {
  ambiguousName,
  createFolder,
  type FolderKind,
  findFolder,
  type LoadedFolder,
  listFolders,
  type RecordWriter,
  readFolder,
} from './folder.ts';
import { listRuns } from './list.ts';
import { defaultRoot } from './paths.ts';
import type { FolderOptions } from './types.ts';

const suiteFile = 'suite.json';
const suites: FolderKind<SuiteRecord> = { file: suiteFile, word: 'suite', schema: suiteRecord };

export type SuiteWriter = RecordWriter<SuiteRecord>;

/** A stored suite (several runs that one suite file defines): its folder, with the content of its suite.json. */
export type LoadedSuite = LoadedFolder<SuiteRecord>;

/**
 * Makes the folder of a suite (several runs that one file defines), `<root>/<UTC time>-suite-<name>-<id>` or `out`, with its
 * suite.json.
 * @throws StoreError exists (`out` is not empty), unwritable, full, write
 */
export const createSuite = (record: SuiteRecord, options: FolderOptions): Promise<SuiteWriter> =>
  createFolder(suiteFile, record, [suites.word, record.name], options);

/** Returns the path of a run's folder in the form that suite.json stores: relative to the suite's folder, with slashes. */
export const runFolder = (suiteDir: string, runDir: string): string =>
  relative(suiteDir, runDir).replaceAll('\\', '/');

/**
 * Returns all runs of a suite, those of a reference build included, in the order in which the suite file lists its entries. Each is
 * the run's element of suite.json, with the name of its suite entry as `entry`. The run folders are not read.
 */
export const runsOfSuite = ({ record }: LoadedSuite) =>
  record.entries.flatMap(({ name, runs }) => runs.map((run) => ({ entry: name, ...run })));

/**
 * Finds a suite by its folder, its id, or the start of either; null if there is none. A suite in a folder that `--out` named is
 * found through its runs, because each run in `root` stores its suite's folder.
 * @throws StoreError broken, newer; not-found if several suites match
 */
export const openSuite = async (word: string, root: string = defaultRoot): Promise<LoadedSuite | null> =>
  (await suiteBeside(word, root)) ?? suiteElsewhere(word, root);

/**
 * Finds a suite by its id, or the start of its id (`word`), in a folder that does not lie directly in `root`. Runs in `root` store
 * the id and folder of their suite, so the folder is taken from a run. Null if no run belongs to such a suite, or if the folder now
 * contains another suite.
 * @throws StoreError not-found if several suites match; broken, newer
 */
export async function suiteElsewhere(word: string, root: string): Promise<LoadedSuite | null> {
  if (word === '') return null;
  const folders = new Map<string, string>();
  for (const { suite } of await listRuns(root))
    if (suite?.folder !== undefined && suite.id.startsWith(word)) folders.set(suite.id, suite.folder);
  if (folders.size > 1 && !folders.has(word)) throw ambiguousName(word, [...folders.keys()]);
  const [id, folder] = folders.has(word) ? [word, folders.get(word)] : ([...folders][0] ?? []);
  if (id === undefined || folder === undefined) return null;
  const dir = resolve(root, folder);
  const record = await readFolder(suites, dir);
  return record?.id === id ? { dir, record } : null;
}

/**
 * Finds a suite by the path of its folder or, if the folder is in `root` next to the runs, by its id or the start of its name or
 * id. Null if there is none. A `root` that cannot be read counts as empty.
 * @throws StoreError not-found if several suites match; broken, newer
 */
export const suiteBeside = (word: string, root: string): Promise<LoadedSuite | null> =>
  findFolder(suites, word, root);

/**
 * Returns all suites (sets of runs) in the folder `root` whose suite.json can be read, oldest first; [] if `root` cannot be read.
 * Suites in a folder whose name the user chose (`--out`) are left out.
 */
export const listSuites = (root: string): Promise<LoadedSuite[]> => listFolders(suites, root);
