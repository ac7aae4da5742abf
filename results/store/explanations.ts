// Explanations on disk. The folder of an explanation is next to that of its run, and has the runs of its experiments inside.
import { basename } from 'node:path';
import { type ExplanationRecord, explanationRecord } from '../schema/index.ts';
import { StoreError } from './errors.ts';
import {
  createFolder,
  type FolderKind,
  findFolder,
  type LoadedFolder,
  listFolders,
  type RecordWriter,
} from './folder.ts';
import { secondOf } from './folders.ts';

const explanations: FolderKind<ExplanationRecord> = {
  file: 'explanation.json',
  word: 'explain',
  schema: explanationRecord,
};

/** A stored explanation of a run: its folder, with the content of its explanation.json. */
export type LoadedExplanation = LoadedFolder<ExplanationRecord>;

/** Makes the folder of an explanation in `root`, the folder of its run. @throws StoreError unwritable, full */
export const createExplanation = (
  record: ExplanationRecord,
  root: string,
): Promise<RecordWriter<ExplanationRecord>> =>
  createFolder(explanations.file, record, [explanations.word, record.operation], { root });

/**
 * Finds an explanation by its folder, its id, or the start of either; null if there is none.
 * @throws StoreError broken, newer; not-found if several explanations match
 */
export const findExplanation = (word: string, root: string): Promise<LoadedExplanation | null> =>
  findFolder(explanations, word, root);

/** Returns all explanations in the folder `root` that can be read, oldest first; others are left out. */
export const listExplanations = (root: string): Promise<LoadedExplanation[]> =>
  listFolders(explanations, root);

/** Returns the explanations of a run in the folder `root`, oldest first. Older folders than the run are not read. */
export async function explanationsOf(
  run: { id: string; startedAt: string },
  root: string,
): Promise<LoadedExplanation[]> {
  const began = run.startedAt.slice(0, 'yyyy-mm-ddThh:mm:ss'.length).replaceAll(':', '-');
  const isLater = (name: string): boolean => secondOf(name) >= began;
  const all = await listFolders(explanations, root, isLater);
  return all.filter(({ record }) => record.run === run.id);
}

/** The error about an explanation that is named where a run, or a suite, is needed. */
export const namesExplanation = (word: string, { dir, record }: LoadedExplanation): StoreError =>
  new StoreError(
    'names-explanation',
    word,
    `'${word}' is an explanation of run ${record.run}, and here a run is needed`,
    {
      details: [`folder: ${basename(dir)}`, 'collbench show, report and rm also take an explanation'],
      next: { words: ['show', record.id], keep: ['root'] },
    },
  );
