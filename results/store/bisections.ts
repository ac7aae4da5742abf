// Bisections on disk. The folder of a bisection has the runs of its probes inside.
import { basename } from 'node:path';
import { type BisectionRecord, bisectionRecord } from '../schema/index.ts';
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

const bisections: FolderKind<BisectionRecord> = {
  file: 'bisection.json',
  word: 'bisect',
  schema: bisectionRecord,
};

/** A stored bisection: its folder, with the content of its bisection.json. */
export type LoadedBisection = LoadedFolder<BisectionRecord>;

/** Makes the folder of a bisection. @throws StoreError exists, unwritable, full */
export const createBisection = (
  record: BisectionRecord,
  options: FolderOptions,
): Promise<RecordWriter<BisectionRecord>> =>
  createFolder(bisections.file, record, [bisections.word, record.command[0] ?? ''], options);

/** Returns the writer of a stored bisection that is continued. */
export const reopenBisection = ({ dir }: LoadedBisection): RecordWriter<BisectionRecord> =>
  openFolder(bisections.file, dir);

/**
 * Finds a bisection by its folder, its id, or the start of either; null if there is none.
 * @throws StoreError broken, newer; not-found if several bisections match
 */
export const findBisection = (word: string, root: string): Promise<LoadedBisection | null> =>
  findFolder(bisections, word, root);

/** Returns all bisections in the folder `root` that can be read, oldest first; others are left out. */
export const listBisections = (root: string): Promise<LoadedBisection[]> => listFolders(bisections, root);

/** The error about a bisection that is named where a run, or a suite, is needed. */
export const namesBisection = (word: string, { dir, record }: LoadedBisection): StoreError =>
  new StoreError('names-bisection', word, `'${word}' is a bisection, and here a run is needed`, {
    details: [`folder: ${basename(dir)}`, 'collbench show, report, resume and rm also take a bisection'],
    next: { words: ['show', record.id], keep: ['root'] },
  });
