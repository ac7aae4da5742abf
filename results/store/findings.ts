// Findings on disk: explanations and bisections. Each has a folder with the runs of its experiments inside; that of an explanation
// is next to the folder of its run.
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
  type FolderOptions,
  findFolder,
  type LoadedFolder,
  listFolders,
  openFolder,
  type RecordWriter,
} from './folder.ts';
import { secondOf } from './folders.ts';

interface FindingRecords {
  explanation: ExplanationRecord;
  bisection: BisectionRecord;
}
export type FindingKind = keyof FindingRecords;

/** A stored finding of one kind: its folder, with the content of its record file. */
export type LoadedFinding<K extends FindingKind> = { kind: K } & LoadedFolder<FindingRecords[K]>;
/** A stored explanation or bisection, which measures several runs. */
export type StoredFinding = { [K in FindingKind]: LoadedFinding<K> }[FindingKind];

/** Each kind with the commands that take such a finding, and its noun for messages. */
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
 * Makes the folder of a finding. @param subject what is explained or bisected, for the folder's name: "allreduce"
 * @throws StoreError exists, unwritable, full
 */
export const createFinding = <K extends FindingKind>(
  kind: K,
  record: FindingRecords[K],
  subject: string,
  options: FolderOptions,
): Promise<RecordWriter<FindingRecords[K]>> =>
  createFolder(kinds[kind].file, record, [kinds[kind].word, subject], options);

/** Returns the writer of a stored finding that is continued. */
export const reopenFinding = <K extends FindingKind>({
  kind,
  dir,
}: LoadedFinding<K>): RecordWriter<FindingRecords[K]> => openFolder(kinds[kind].file, dir);

/**
 * Finds a finding by its folder, its id, or the start of either; null if there is none.
 * @throws StoreError broken, newer; not-found if several match
 */
export async function findFinding<K extends FindingKind>(
  kind: K,
  word: string,
  root: string,
): Promise<LoadedFinding<K> | null> {
  const found = await findFolder<FindingRecords[K]>(kinds[kind], word, root);
  return found === null ? null : { kind, ...found };
}

/** Finds the finding of any kind that `word` names, as findFinding() does. */
export const findAnyFinding = async (word: string, root: string): Promise<StoredFinding | null> =>
  (await findFinding('explanation', word, root)) ?? (await findFinding('bisection', word, root));

/** Returns all findings of a kind in the folder `root` that can be read, oldest first; others are left out. */
export const listFindings = <K extends FindingKind>(
  kind: K,
  root: string,
): Promise<LoadedFolder<FindingRecords[K]>[]> => listFolders<FindingRecords[K]>(kinds[kind], root);

/** Returns the explanations of a run in the folder `root`, oldest first. Older folders than the run are not read. */
export async function explanationsOf(
  run: { id: string; startedAt: string },
  root: string,
): Promise<LoadedFolder<ExplanationRecord>[]> {
  const began = run.startedAt.slice(0, 'yyyy-mm-ddThh:mm:ss'.length).replaceAll(':', '-');
  const all = await listFolders(kinds.explanation, root, (name) => secondOf(name) >= began);
  return all.filter(({ record }) => record.run === run.id);
}

/** Returns the error about a finding that is named where a run, or a suite, is needed. */
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
