import { isAscii } from 'node:buffer';
import { readdirSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { readPlainSync, type UnreadableFile } from '../files/plain.ts';
import { openToAppend, replaceWhole } from '../files/whole.ts';
import {
  type HistoryColumn,
  type HistoryLine,
  type HistorySet,
  historyLine,
  historySet,
} from '../schema/index.ts';
import { files, type LoadedRun, openRun, StoreError } from '../store/index.ts';
import { lineOf } from './line.ts';

/** The index of all runs of a folder, in it. Only ever a copy of what the run folders say. */
export const indexName = 'runs.ndjson';

/** Bytes of an index: 10,000 runs have a tenth of it. A string cannot hold twice as much. */
const mostOfIndex = 256 * 2 ** 20;

export interface RunIndex {
  root: string;
  /** Oldest first. */
  lines: HistoryLine[];
  /** What the figures of lines are of, by HistoryLine.set. */
  columns: Map<string, HistoryColumn[]>;
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
  const { line, set } = lineOf(record, cells, folder);
  const { columns } = readLines(join(root, indexName), []);
  return addTo(root, [...(columns.has(set.set) ? [] : [textOf(set)]), textOf(line)]);
}

/** The index as it stands in the file, runs by folder; nothing is read that it does not have. */
export const readIndex = (root: string): Pick<HistoryFile, 'known' | 'columns'> =>
  readLines(join(root, indexName), []);

const textOf = (line: HistoryLine | HistorySet): string => `${JSON.stringify(line)}\n`;

/** Lines of one call are one write() at the end of the file, so that several writers do not mix theirs. */
async function append(path: string, lines: readonly string[]): Promise<void> {
  const handle = await openToAppend(path);
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
  const read = anew ? nothing() : readLines(join(root, indexName), warnings);
  // Another build wrote it: its runs are read once more, and the file is written as this one has it.
  const isOlder = read.older > 0;
  const { known, columns } = isOlder ? nothing() : read;
  const lines: HistoryLine[] = [];
  const added: string[] = [];
  for (const folder of folders) {
    const there = known.get(folder);
    if (there !== undefined) {
      lines.push(there);
      continue;
    }
    const read = await readFolder(join(root, folder), folder, warnings);
    if (read === null) continue;
    const { line, set } = read;
    lines.push(line);
    // One without an end may get one yet.
    if (line.state !== 'running') added.push(...(columns.has(set.set) ? [] : [textOf(set)]), textOf(line));
    columns.set(set.set, set.columns);
  }
  if (!lines.every(({ at }, i) => i === 0 || (lines[i - 1] as HistoryLine).at <= at))
    lines.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const problem = anew || isOlder ? await rewrite(root, added) : await addTo(root, added);
  if (problem !== null) warnings.push(problem);
  return { root, lines, columns, warnings };
}

interface HistoryFile {
  /** By folder: of several lines the last counts. */
  known: Map<string, HistoryLine>;
  columns: Map<string, HistoryColumn[]>;
  /** Lines of older versions. */
  older: number;
}

const nothing = (): HistoryFile => ({ known: new Map(), columns: new Map(), older: 0 });

/** Torn lines, those of other versions and those whose columns nobody told are as if they were not there. */
function readLines(path: string, warnings: string[]): HistoryFile {
  const read = nothing();
  let content: string;
  try {
    const bytes = readPlainSync(path, mostOfIndex, { links: false });
    // Names of hosts may be in any script; where there are none but plain letters, they need no decoding.
    content = bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
  } catch (error) {
    const { code, message } = error as UnreadableFile;
    if (code !== 'ENOENT')
      warnings.push(`${path} cannot be read (${message}); the runs themselves were read.`);
    return read;
  }
  let bad = 0;
  const tails: LineTails = new Map();
  for (let from = 0; from < content.length; ) {
    const end = content.indexOf('\n', from);
    const text = content.slice(from, end < 0 ? content.length : end);
    from = end < 0 ? content.length : end + 1;
    if (olderStarts.some((start) => text.startsWith(start))) read.older += 1;
    else if (text !== '' && !take(text, read, tails)) bad += 1;
  }
  for (const [folder, { set }] of read.known) {
    if (read.columns.has(set)) continue;
    read.known.delete(folder);
    bad += 1;
  }
  if (bad > 0) {
    const lines = bad === 1 ? '1 line' : `${bad} lines`;
    warnings.push(
      `${lines} of ${path} could not be read and the runs themselves were: collbench history --rebuild`,
    );
  }
  return read;
}

/** A line as it is written: what is its run's own, what it has in common with most others, its figures. */
const folderStart = '{"schemaVersion":4,"folder":"';
const olderStarts = ['{"schemaVersion":1,', '{"schemaVersion":2,', '{"schemaVersion":3,'];
const idStart = '","id":"';
const atStart = '","at":"';
const commonStart = '","state":';
const figuresStart = ',"figures":"';

/** What lines have in common by its text, so that JSON.parse() sees it once. Lines share its lists: they are read only. */
type LineTails = Map<string, Omit<HistoryLine, 'folder' | 'id' | 'at' | 'figures'>>;

/** A line with all fields of its schema named, so that the compiler refuses a reader that forgets one. */
type EveryField = { [K in keyof Required<HistoryLine>]: HistoryLine[K] };

/** @returns whether it could be read */
function take(text: string, read: HistoryFile, tails: LineTails): boolean {
  try {
    const folder = quoted(text, 0, folderStart);
    const idFrom = folderStart.length + folder.length;
    const id = quoted(text, idFrom, idStart);
    const atFrom = idFrom + idStart.length + id.length;
    const at = quoted(text, atFrom, atStart);
    const commonFrom = atFrom + atStart.length + at.length;
    // The figures come last and hold nothing that JSON would escape: they are cut off, not parsed.
    const end = text.startsWith(commonStart, commonFrom) ? text.indexOf(figuresStart, commonFrom) : -1;
    if (end < 0 || !text.endsWith(' "}')) return takeSlowly(text, read);
    const common = text.slice(commonFrom + 2, end);
    let tail = tails.get(common);
    if (tail === undefined) {
      tail = JSON.parse(`{${common}}`) as HistoryLine;
      tails.set(common, tail);
    }
    const { state, hosts, imported, suite, commit, label, cells, flags, open, set } = tail;
    const figures = text.slice(end + figuresStart.length, -2);
    // Objects of one shape, with every field spelled out, are read many times as fast as those made by spreading.
    const line: EveryField = {
      schemaVersion: 4,
      folder,
      id,
      at,
      state,
      hosts,
      imported,
      suite,
      commit,
      label,
      cells,
      flags,
      open,
      set,
      figures,
    };
    return takeWhole(line, read.known);
  } catch {
    return false;
  }
}

/** The value that follows `before` at `from`; "" where there is none, or one with escapes. */
function quoted(text: string, from: number, before: string): string {
  if (!text.startsWith(before, from)) return '';
  const start = from + before.length;
  const value = text.slice(start, text.indexOf('"', start));
  return value.includes('\\') ? '' : value;
}

/** Those that tell columns, and those with escapes. */
function takeSlowly(text: string, { known, columns }: HistoryFile): boolean {
  if (text.startsWith(folderStart)) return takeWhole(JSON.parse(text) as HistoryLine, known);
  const set = historySet.parse(JSON.parse(text));
  columns.set(set.set, set.columns);
  return true;
}

function takeWhole(line: HistoryLine, known: HistoryFile['known']): boolean {
  if (!isWhole(line)) return false;
  known.set(line.folder, line);
  return true;
}

/** What is used of a line; the full check of the schema takes ten times as long as all the rest. */
const isWhole = ({ at, state, hosts, set, figures }: HistoryLine): boolean =>
  [at, state, set, figures].every((text) => typeof text === 'string') && Array.isArray(hosts);

/** Whatever lies there; what is no run is seen when it is opened. */
function foldersOf(root: string): string[] {
  try {
    return readdirSync(root);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    throw new StoreError('not-found', root, `the runs in ${root} cannot be listed: ${message}`, {
      cause: error as Error,
    });
  }
}

/** @returns null where the folder is no run, or one that cannot be read */
async function readFolder(
  dir: string,
  folder: string,
  warnings: string[],
): Promise<{ line: HistoryLine; set: HistorySet } | null> {
  const isRun = await stat(join(dir, files.record)).then(
    () => true,
    () => false,
  );
  if (!isRun) return null;
  try {
    const { record, cells } = await openRun(dir);
    const { line, set } = lineOf(record, cells, folder);
    return { line: historyLine.parse(line), set };
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

async function rewrite(root: string, lines: readonly string[]): Promise<string | null> {
  return replaceWhole(join(root, indexName), lines.join('')).then(() => null, whyNot(root));
}

const whyNot =
  (root: string) =>
  (error: unknown): string =>
    `the index ${join(root, indexName)} could not be written (${error instanceof Error ? error.message : error}); the next call reads these runs again.`;
