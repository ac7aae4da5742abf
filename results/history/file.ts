import { type Dirent, readdirSync, readFileSync } from 'node:fs';
import { open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type HistoryLine, historyLine } from '../schema/index.ts';
import { files, type LoadedRun, openRun, StoreError } from '../store/index.ts';
import { headOf } from './extract.ts';
import { lineOf } from './line.ts';

/** The index of all runs of a folder, in it. Only ever a copy of what the run folders say. */
export const indexName = 'runs.ndjson';

/** One run as the index has it; what it measured is read from `text` when asked for (extract.ts). */
export interface IndexEntry {
  head: Omit<HistoryLine, 'figures'>;
  /** Its whole line. */
  text: string;
}

export interface RunIndex {
  root: string;
  /** Oldest first. */
  entries: IndexEntry[];
  /** What was passed over, or mended: a sentence each. */
  warnings: string[];
}

/**
 * Adds a run that has ended to the index beside it. Runs with a folder chosen by hand stay out of the folder above it; they
 * come in when `collbench history --root` looks there.
 * @returns why it is not there, a sentence; null where all is well. Nothing is lost: the next openIndex() reads the run.
 */
export async function enterIndex({ dir, record, cells }: LoadedRun): Promise<string | null> {
  const [root, folder] = [dirname(resolve(dir)), basename(resolve(dir))];
  if (!folder.endsWith(`-${record.id}`)) return null;
  return addTo(root, [textOf(lineOf(record, cells, folder))]);
}

const textOf = (line: HistoryLine): string => `${JSON.stringify(line)}\n`;

/** Lines of one call are one write() at the end of the file, so that several writers do not mix theirs. */
async function append(path: string, lines: readonly string[]): Promise<void> {
  const handle = await open(path, 'a+');
  try {
    const { size } = await handle.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await handle.read(last, 0, 1, size - 1);
    // A writer that was killed left half a line.
    const gap = size > 0 && last[0] !== 0x0a ? '\n' : '';
    await handle.write(gap + lines.join(''));
  } finally {
    await handle.close();
  }
}

/**
 * The index as it stands, brought up to the folders: those that it lacks are read and added, those that are gone left out.
 * @param anew nothing of the file is believed, and it is written again
 */
export async function openIndex(root: string, anew = false): Promise<RunIndex> {
  const folders = foldersOf(root);
  const warnings: string[] = [];
  const known = anew ? new Map<string, IndexEntry>() : readLines(join(root, indexName), warnings);
  const entries: IndexEntry[] = [];
  const added: string[] = [];
  for (const folder of folders) {
    const there = known.get(folder);
    if (there !== undefined) {
      entries.push(there);
      continue;
    }
    const line = await readFolder(join(root, folder), folder, warnings);
    if (line === null) continue;
    const text = textOf(line);
    const { figures: _figures, ...head } = line;
    entries.push({ head, text });
    // One without an end may get one yet.
    if (line.state !== 'running') added.push(text);
  }
  entries.sort((a, b) => (a.head.at < b.head.at ? -1 : a.head.at > b.head.at ? 1 : 0));
  const problem = anew ? await rewrite(root, entries) : await addTo(root, added);
  if (problem !== null) warnings.push(problem);
  return { root, entries, warnings };
}

/** By folder: of several lines the last counts. Torn ones and those of other versions are as if they were not there. */
function readLines(path: string, warnings: string[]): Map<string, IndexEntry> {
  const known = new Map<string, IndexEntry>();
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT')
      warnings.push(`${path} cannot be read (${message}); the runs themselves were read.`);
    return known;
  }
  let bad = 0;
  for (let from = 0; from < content.length; ) {
    const end = content.indexOf('\n', from);
    const text = content.slice(from, end < 0 ? content.length : end);
    from = end < 0 ? content.length : end + 1;
    if (text === '') continue;
    const head = headOf(text);
    if (head === null) bad += 1;
    else known.set(head.folder, { head, text });
  }
  if (bad > 0) {
    const lines = bad === 1 ? '1 line' : `${bad} lines`;
    warnings.push(
      `${lines} of ${path} could not be read and the runs themselves were: collbench history --rebuild`,
    );
  }
  return known;
}

function foldersOf(root: string): string[] {
  let found: Dirent[];
  try {
    found = readdirSync(root, { withFileTypes: true });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    throw new StoreError('not-found', root, `the runs in ${root} cannot be listed: ${message}`, {
      cause: error as Error,
    });
  }
  return found.flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
}

/** @returns null where the folder is no run, or one that cannot be read */
async function readFolder(dir: string, folder: string, warnings: string[]): Promise<HistoryLine | null> {
  const isRun = await stat(join(dir, files.record)).then(
    () => true,
    () => false,
  );
  if (!isRun) return null;
  try {
    const { record, cells } = await openRun(dir);
    return historyLine.parse(lineOf(record, cells, folder));
  } catch (error) {
    warnings.push(`${folder} is left out: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}

/** A folder that cannot be written to has its history all the same. */
async function addTo(root: string, lines: readonly string[]): Promise<string | null> {
  if (lines.length === 0) return null;
  return append(join(root, indexName), lines).then(() => null, whyNot(root));
}

async function rewrite(root: string, entries: readonly IndexEntry[]): Promise<string | null> {
  const path = join(root, indexName);
  const draft = join(root, `.${indexName}.${process.pid}.tmp`);
  const lasting = entries.filter(({ head }) => head.state !== 'running');
  try {
    await writeFile(draft, lasting.map(({ text }) => (text.endsWith('\n') ? text : `${text}\n`)).join(''));
    await rename(draft, path);
    return null;
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    return whyNot(root)(error);
  }
}

const whyNot =
  (root: string) =>
  (error: unknown): string =>
    `the index ${join(root, indexName)} could not be written (${error instanceof Error ? error.message : error}); the next call reads these runs again.`;
