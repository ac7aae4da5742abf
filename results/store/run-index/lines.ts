// Reads, extends and replaces the index file runs.ndjson. Its content is only a copy of data in the run folders.
import { isAscii } from 'node:buffer';
import { join } from 'node:path';
import { parseJson } from '../../files/json.ts';
import { readPlainSync, type UnreadableFile } from '../../files/plain.ts';
import { openToAppend, replaceWhole } from '../../files/whole.ts';
import { type HistoryColumn, type HistoryLine, type HistorySet, historySet } from '../../schema/index.ts';

/** Name of the index file, in the folder of all runs. */
export const indexName = 'runs.ndjson';

/**
 * Highest size of an index file in bytes. 10,000 runs with 48 times over 9 sizes need a fifth of it. A JavaScript string cannot
 * hold twice as much.
 */
const maxIndexBytes = 256 * 2 ** 20;

export interface IndexLines {
  /** The valid line of each run, by the name of its folder: the last line with this folder in the file. */
  byFolder: Map<string, HistoryLine>;
  /**
   * Columns (mean time per series and size range) of the runs' lines. A line refers to its list of columns by the key
   * `HistoryLine.set`.
   */
  columns: Map<string, HistoryColumn[]>;
  /** Number of lines that cannot be used: incomplete, of another version, or without a description of their columns. */
  bad: number;
  /** Number of lines that are outdated because a later line has the same folder. */
  replaced: number;
  /** Reason why the index file could not be read; null if it was read, or does not exist. */
  problem: string | null;
}

export const emptyIndex = (): IndexLines => ({
  byFolder: new Map(),
  columns: new Map(),
  bad: 0,
  replaced: 0,
  problem: null,
});

/**
 * Reads the index file runs.ndjson in `root`, the folder of all runs. It may be outdated: the run folders are not checked. It
 * never throws: `problem` says why the file could not be read.
 */
export function readIndex(root: string): IndexLines {
  const index = emptyIndex();
  const path = join(root, indexName);
  let content: string;
  try {
    const bytes = readPlainSync(path, maxIndexBytes, { links: false });
    // Host names may be in any script, so the file is UTF-8. If it is plain ASCII, it is read as latin1, which is faster.
    content = bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
  } catch (error) {
    const { code, message } = error as UnreadableFile;
    if (code !== 'ENOENT')
      index.problem = `${path} cannot be read (${message}); the runs themselves were read.`;
    return index;
  }
  for (let from = 0; from < content.length; ) {
    const end = content.indexOf('\n', from);
    const text = content.slice(from, end < 0 ? content.length : end);
    from = end < 0 ? content.length : end + 1;
    if (text !== '' && !takeLine(text, index)) index.bad += 1;
  }
  for (const [folder, { set }] of index.byFolder) {
    if (index.columns.has(set)) continue;
    index.byFolder.delete(folder);
    index.bad += 1;
  }
  return index;
}

const lineStart = '{"schemaVersion":5,"folder":"';
const figuresStart = ',"figures":"';
const pointsStart = '","points":"';

/**
 * Adds one line of the file to the index.
 * @returns false if the line cannot be used
 */
function takeLine(text: string, index: IndexLines): boolean {
  try {
    if (!text.startsWith(lineStart)) {
      const { set, columns } = historySet.parse(JSON.parse(text));
      index.columns.set(set, columns);
      return true;
    }
    // Figures and points are the last fields and contain no JSON escapes, so they are sliced from the text without parsing.
    const figuresAt = text.lastIndexOf(figuresStart);
    const pointsAt = text.lastIndexOf(pointsStart);
    if (figuresAt < 0 || pointsAt < figuresAt || !text.endsWith('"}')) return false;
    const line = parseJson(`${text.slice(0, figuresAt)}}`) as HistoryLine;
    line.figures = text.slice(figuresAt + figuresStart.length, pointsAt);
    line.points = text.slice(pointsAt + pointsStart.length, -2);
    if (!isUsable(line)) return false;
    if (index.byFolder.has(line.folder)) index.replaced += 1;
    index.byFolder.set(line.folder, line);
    return true;
  } catch {
    return false;
  }
}

/**
 * True if the fields that are used have the right types. Checking the full schema would take ten times as long as reading the rest.
 */
const isUsable = ({
  folder,
  id,
  title,
  startedAt,
  at,
  state,
  set,
  hosts,
  cells,
  record,
}: HistoryLine): boolean =>
  [folder, id, title, startedAt, at, state, set].every((text) => typeof text === 'string') &&
  Array.isArray(hosts) &&
  typeof cells?.measured === 'number' &&
  typeof record?.mtimeMs === 'number';

export const lineText = (line: HistoryLine | HistorySet): string => `${JSON.stringify(line)}\n`;

/**
 * Appends lines to the index file runs.ndjson in folder `root`; the file is created if it is missing. Never rejects.
 * @param lines texts as lineText() returns them, with a line break at the end
 * @returns a sentence why appending failed; null if it succeeded, or if `lines` is empty
 */
export async function appendLines(root: string, lines: readonly string[]): Promise<string | null> {
  if (lines.length === 0) return null;
  return append(join(root, indexName), lines).then(() => null, problemOf(root));
}

/**
 * Appends the lines with a single write(), so that lines of several processes do not mix; a missing file is created. A line break
 * is written first if the file does not end with one. Rejects with the error of the file system.
 * @param lines texts with a line break at the end
 */
async function append(path: string, lines: readonly string[]): Promise<void> {
  const handle = await openToAppend(path);
  try {
    const { size } = await handle.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await handle.read(last, 0, 1, size - 1);
    // A writer that was killed may have left half a line.
    const gap = size > 0 && last[0] !== 0x0a ? '\n' : '';
    await handle.write(gap + lines.join(''));
  } finally {
    await handle.close();
  }
}

/**
 * Replaces the content of the index file runs.ndjson in folder `root`. A line that another process appends at the same time may be
 * lost; the next reader then reads that run again. Never rejects.
 * @param lines texts as lineText() returns them, with a line break at the end
 * @returns a sentence why replacing failed; null if it succeeded
 */
export const replaceLines = (root: string, lines: readonly string[]): Promise<string | null> =>
  replaceWhole(join(root, indexName), lines.join('')).then(() => null, problemOf(root));

const problemOf =
  (root: string) =>
  (error: unknown): string =>
    `the index ${join(root, indexName)} could not be written (${error instanceof Error ? error.message : error}); the next call reads these runs again.`;
