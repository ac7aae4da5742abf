// Stores explanations and bisections ("findings"). Each has a folder that contains the runs of its experiments; the folder of an
// explanation is next to that of the explained run.
import { basename } from 'node:path';
import {
  type BisectionRecord,
  bisectionRecord,
  type ExplanationRecord,
  explanationRecord,
} from '../schema/index.ts';
import { StoreError } from './errors.ts';
import {
  createFolder,
  type FolderKind,
  findFolder,
  type LoadedFolder,
  listFolders,
  openFolder,
  type RecordWriter,
} from './folder.ts';
import { secondOf } from './folders.ts';
import type { FolderOptions } from './types.ts';

interface FindingRecords {
  explanation: ExplanationRecord;
  bisection: BisectionRecord;
}
export type FindingKind = keyof FindingRecords;

/** A stored explanation or bisection, as `K` says: its folder, with the content of its record file. */
export type LoadedFinding<K extends FindingKind> = { kind: K } & LoadedFolder<FindingRecords[K]>;
/** A stored explanation or bisection, each of which measures several runs. */
export type StoredFinding = { [K in FindingKind]: LoadedFinding<K> }[FindingKind];

/**
 * Each kind of finding: its record file and schema, and the word in its folders' names. `takenBy`: phrase about the commands that
 * take such a finding. `noun`: text that names a finding in messages.
 */
const kinds: {
  [K in FindingKind]: FolderKind<FindingRecords[K]> & {
    takenBy: string;
    noun(record: FindingRecords[K]): string;
  };
} = {
  explanation: {
    ...{ file: 'explanation.json', word: 'explain', schema: explanationRecord },
    takenBy: 'show, report and rm also take an explanation',
    noun: ({ run }) => `an explanation of run ${run}`,
  },
  bisection: {
    ...{ file: 'bisection.json', word: 'bisect', schema: bisectionRecord },
    takenBy: 'show, report, resume and rm also take a bisection',
    noun: () => 'a bisection',
  },
};

/**
 * Creates the folder of an explanation or bisection and writes `record` into it. The result writes later states of the record.
 * @param subject operation that is explained or bisected, a part of the folder's name: "allreduce"
 * @throws StoreError exists (the folder `--out` is not empty), unwritable, full, write
 */
export const createFinding = <K extends FindingKind>(
  kind: K,
  record: FindingRecords[K],
  subject: string,
  options: FolderOptions,
): Promise<RecordWriter<FindingRecords[K]>> =>
  createFolder(kinds[kind].file, record, [kinds[kind].word, subject], options);

/**
 * Returns a writer for a stored explanation or bisection that is continued. It reads, locks and writes nothing until update() is
 * called.
 */
export const reopenFinding = <K extends FindingKind>({
  kind,
  dir,
}: LoadedFinding<K>): RecordWriter<FindingRecords[K]> => openFolder(kinds[kind].file, dir);

/**
 * Finds an explanation or bisection by the path of its folder, by its id, or by the start of its folder's name or id (`word`). Null
 * if there is none.
 * @param root folder of all runs; counts as empty if it cannot be read
 * @throws StoreError broken, newer (its record); not-found if several match
 */
export async function findFinding<K extends FindingKind>(
  kind: K,
  word: string,
  root: string,
): Promise<LoadedFinding<K> | null> {
  const found = await findFolder<FindingRecords[K]>(kinds[kind], word, root);
  return found === null ? null : { kind, ...found };
}

/**
 * Finds the explanation or bisection that `word` names, as findFinding() does; null if there is none. An explanation takes
 * precedence over a bisection.
 * @throws StoreError broken, newer; not-found if several of one kind match
 */
export const findAnyFinding = async (word: string, root: string): Promise<StoredFinding | null> =>
  (await findFinding('explanation', word, root)) ?? (await findFinding('bisection', word, root));

/**
 * Returns the findings of a kind in the folder `root`, oldest first; [] if `root` cannot be read. Left out are findings that cannot
 * be read, and those in a folder whose name the user chose (`--out`).
 */
export const listFindings = <K extends FindingKind>(
  kind: K,
  root: string,
): Promise<LoadedFolder<FindingRecords[K]>[]> => listFolders<FindingRecords[K]>(kinds[kind], root);

/** Returns the explanations of a run in the folder `root`, oldest first. Folders older than the run are not read. */
export async function explanationsOf(
  run: { id: string; startedAt: string },
  root: string,
): Promise<LoadedFolder<ExplanationRecord>[]> {
  const began = run.startedAt.slice(0, 'yyyy-mm-ddThh:mm:ss'.length).replaceAll(':', '-');
  const all = await listFolders(kinds.explanation, root, (name) => secondOf(name) >= began);
  return all.filter(({ record }) => record.run === run.id);
}

/**
 * Returns the error that an explanation or bisection was named where a run, or a suite, is needed.
 * @param word name as the user typed it
 */
export function namesFinding<K extends FindingKind>(
  word: string,
  { kind, dir, record }: LoadedFinding<K>,
): StoreError {
  const { noun, takenBy } = kinds[kind];
  return new StoreError(`names-${kind}`, word, `'${word}' is ${noun(record)}, and here a run is needed`, {
    details: [`folder: ${basename(dir)}`, `collbench ${takenBy}`],
    next: { words: ['show', record.id], keep: ['root'] },
  });
}
