import { statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { HistoryColumn, HistoryLine, HistorySet } from '../../schema/index.ts';
import { StoreError } from '../errors.ts';
import { foldersOf } from '../folders.ts';
import { loadRun, readRecord, type StampedRecord } from '../load.ts';
import { files } from '../paths.ts';
import type { LoadedRun, RecordStamp } from '../types.ts';
import { appendLines, emptyIndex, type IndexLines, lineText, readIndex, replaceLines } from './lines.ts';

/** Content of runs.ndjson, the index of all runs in a folder: for each run the data that lists and histories need. */
export interface RunIndex {
  root: string;
  /** Lines of the runs, oldest first. */
  lines: HistoryLine[];
  /**
   * Columns (mean time per series and size range) of the runs' lines. A line refers to its list of columns by the key
   * `HistoryLine.set`.
   */
  columns: Map<string, HistoryColumn[]>;
  /** One sentence for each run that was left out, and for each problem with the index file. */
  warnings: string[];
}

/**
 * The index after every run folder was checked, so that it is up to date. `folder`: name of a run's folder in `root`. `unreadable`:
 * the folders whose run cannot be read, with the error; `warnings` names them, too.
 */
export interface IndexScan extends RunIndex {
  /**
   * Runs whose run.json says `running`: runs that have not ended, and runs that were killed. The index file has no lines for them,
   * because they may still change.
   */
  running: ({ folder: string } & StampedRecord)[];
  unreadable: { folder: string; error: unknown }[];
}

/**
 * Adds a run that has ended to the index in its parent folder. If the user chose the folder's name, nothing is done: the next
 * command that scans the parent adds the run.
 * @returns a sentence why the run could not be added, else null. No data are lost, because the next scan reads the run
 */
export async function enterIndex(
  run: Pick<LoadedRun, 'dir' | 'record' | 'stamp' | 'cells'>,
): Promise<string | null> {
  const [root, folder] = [dirname(resolve(run.dir)), basename(resolve(run.dir))];
  if (!folder.endsWith(`-${run.record.id}`)) return null;
  const { lineOf } = await import('./line.ts');
  const { line, set } = lineOf(run, folder);
  return appendLines(root, newTexts(line, set, readIndex(root)));
}

/**
 * Returns the texts to append to the index for a run: its line, and before it the description of its columns (`set`) if the file
 * lacks it.
 */
const newTexts = (line: HistoryLine, set: HistorySet, { columns }: Pick<IndexLines, 'columns'>): string[] => [
  ...(columns.has(set.set) ? [] : [lineText(set)]),
  lineText(line),
];

/**
 * Brings the index up to date with the run folders. New and changed runs are read and deleted ones left out. Runs that cannot be
 * read are in `unreadable` and in `warnings`. New lines are appended to the file. It is written as a whole only if some of its
 * lines cannot be used or many are outdated, or with `rebuild`. If the file cannot be written, a warning says so.
 * @param root folder of all runs; if it does not exist, the index is empty
 * @param rebuild true to read every run and write the whole file
 * @throws StoreError not-found if the folder cannot be listed
 */
export async function scanRuns(root: string, rebuild = false): Promise<IndexScan> {
  const index = rebuild ? emptyIndex() : readIndex(root);
  const { byFolder, columns } = index;
  const warnings = index.problem === null ? [] : [index.problem];
  const scan: IndexScan = { root, lines: [], columns, warnings, running: [], unreadable: [] };
  const added: string[] = [];
  for (const folder of await foldersOf(root)) {
    const dir = join(root, folder);
    const stamp = stampOf(join(dir, files.record));
    // A folder with results but without run.json is a damaged run, and must be reported instead of skipped.
    if (stamp === null && stampOf(join(dir, files.cells)) === null) continue;
    const known = byFolder.get(folder);
    if (
      known !== undefined &&
      known.record.bytes === stamp?.bytes &&
      known.record.mtimeMs === stamp.mtimeMs
    ) {
      scan.lines.push(known);
      continue;
    }
    try {
      if (stamp === null) throw new StoreError('broken', dir, `${dir} has no run.json.`);
      const stored = await readRecord(dir);
      if (stored.record.state === 'running') {
        scan.running.push({ folder, ...stored });
        continue;
      }
      const { line, set } = await lineOfRun(dir, folder, stored);
      added.push(...newTexts(line, set, index));
      columns.set(set.set, set.columns);
      scan.lines.push(line);
    } catch (error) {
      warnings.push(`${folder} is left out: ${error instanceof Error ? error.message : String(error)}`);
      scan.unreadable.push({ folder, error });
    }
  }
  sortByTime(scan.lines);
  // Unused lines slow down every later call, so a file with many of them is rewritten.
  const isWorn = index.bad > 0 || index.replaced + byFolder.size > 2 * scan.lines.length + 100;
  const problem =
    rebuild || isWorn ? await replaceLines(root, allTexts(scan)) : await appendLines(root, added);
  if (problem !== null) warnings.push(problem);
  return scan;
}

/**
 * Returns the up-to-date index of the runs in `root`, with lines also for runs that have not ended. Runs that cannot be read are
 * left out with a warning.
 * @param rebuild true to read every run and write the whole index file
 * @throws StoreError not-found if the folder cannot be listed
 */
export async function openIndex(root: string, rebuild = false): Promise<RunIndex> {
  const { lines, columns, warnings, running } = await scanRuns(root, rebuild);
  for (const { folder, ...stored } of running) {
    try {
      const { line, set } = await lineOfRun(join(root, folder), folder, stored);
      columns.set(set.set, set.columns);
      lines.push(line);
    } catch (error) {
      warnings.push(`${folder} is left out: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  sortByTime(lines);
  return { root, lines, columns, warnings };
}

/**
 * Makes the index line of the run in `dir`.
 * @param stored run.json of the run, already read
 * @throws StoreError if the run cannot be read
 */
async function lineOfRun(dir: string, folder: string, stored: StampedRecord) {
  const { lineOf } = await import('./line.ts');
  return lineOf(await loadRun(dir, stored), folder);
}

/** Returns size and modification time of a file; size -1 if these cannot be read; null if the file does not exist. */
function stampOf(path: string): RecordStamp | null {
  try {
    const { size, mtimeMs } = statSync(path);
    return { bytes: size, mtimeMs };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Other errors are reported by the function that reads the file.
    return code === 'ENOENT' || code === 'ENOTDIR' ? null : { bytes: -1, mtimeMs: 0 };
  }
}

/** Sorts the lines in place by `at`, the time of the measurement. If they are already sorted, the list is only checked. */
function sortByTime(lines: HistoryLine[]): void {
  if (!lines.every(({ at }, i) => i === 0 || (lines[i - 1] as HistoryLine).at <= at))
    lines.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

/** Returns the texts of the whole index file. Each description of columns precedes the first line that uses it. */
function allTexts({ lines, columns }: Pick<RunIndex, 'lines' | 'columns'>): string[] {
  const written: Pick<IndexLines, 'columns'> = { columns: new Map() };
  return lines.flatMap((line) => {
    const set = { schemaVersion: 5 as const, set: line.set, columns: columns.get(line.set) ?? [] };
    const texts = newTexts(line, set, written);
    written.columns.set(set.set, set.columns);
    return texts;
  });
}
