import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { innerFolder } from '../files/folders.ts';
import { replaceWhole } from '../files/whole.ts';
import {
  attemptsOf,
  type BlockRecord,
  type CellRecord,
  dataOf,
  type RunRecord,
  whatOf,
} from '../schema/index.ts';
import { StoreError, writeError } from './errors.ts';
import { LineFile, mendTail } from './lines.ts';
import { lockRun, type RunLock } from './lock.ts';
import { MetricsFiles } from './metrics.ts';
import { files } from './paths.ts';
import type { FolderOptions, RunWriter } from './types.ts';

/** Returns a new id for a run: six random hexadecimal digits. */
export function newRunId(): string {
  // The global `crypto` is used, because node:crypto would be loaded by every command that reads a run.
  return Buffer.from(crypto.getRandomValues(new Uint8Array(3))).toString('hex');
}

/**
 * Creates the folder of a run, `<root>/<UTC time>-<operation>-<id>` or `out`, with its first run.json, and locks it until close(),
 * which the caller must call. Call it before measuring, so that an unwritable folder is found first.
 * @throws StoreError exists (`out` is not empty), in-use, unwritable, full, write
 */
export async function createRun(options: FolderOptions & { record: RunRecord }): Promise<RunWriter> {
  const { record, out } = options;
  const dir = resolve(out ?? join(options.root ?? 'collbench-runs', folderName(record)));
  if (out !== undefined) await requireEmptyFolder(dir);
  try {
    for (const folder of [files.samples, files.logs]) await innerFolder(dir, folder);
  } catch (error) {
    throw writeError(dir, error, 'Nothing was measured yet.');
  }
  const lock = await lockRun(dir, 'Nothing was measured yet.');
  return writerOf(dir, record, lock, 0);
}

/**
 * Opens an unfinished run for writing again. It cuts off incomplete last lines, stores `record`, and replaces the stored results by
 * `cells`. RunWriter.close() releases the lock; if this function throws, it has released the lock.
 * @param lock lock of the run folder, already held
 * @throws StoreError unwritable, full, write
 */
export async function reopenRun(
  dir: string,
  record: RunRecord,
  cells: readonly CellRecord[],
  lock: RunLock,
): Promise<RunWriter> {
  const safe = `Everything measured before is safe in ${dir}.`;
  try {
    for (const folder of [files.samples, files.logs]) await innerFolder(dir, folder);
    await mendTail(join(dir, files.blocks), safe);
    for (const name of await readdir(join(dir, files.logs)))
      await mendTail(join(dir, files.logs, name), safe);
    await replaceFile(join(dir, files.cells), linesOf(cells), safe);
  } catch (error) {
    await lock.release();
    throw writeError(dir, error, safe);
  }
  return writerOf(dir, record, lock, cells.length);
}

const linesOf = (cells: readonly CellRecord[]): string =>
  cells.map((cell) => `${JSON.stringify(cell)}\n`).join('');

/**
 * Opens a prepared run folder for writing and stores `record`. If it throws, it has released `lock`.
 * @param cells number of configurations already finished, for error messages
 * @throws StoreError full, unwritable, write
 */
async function writerOf(dir: string, record: RunRecord, lock: RunLock, cells: number): Promise<RunWriter> {
  try {
    await writeRecord(dir, record, safeText(dir, cells));
    return await openWriter(dir, attemptsOf(record), lock, cells);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Highest number of log files that are open at once: a run may have more hosts than a process may have open files. */
const maxOpenLogs = 64;

const safeText = (dir: string, cells: number): string =>
  cells === 0
    ? 'No configuration was finished yet.'
    : `The ${cells} configurations finished before are safe in ${dir}.`;

async function openWriter(
  dir: string,
  attempt: number,
  lock: RunLock,
  cellsBefore: number,
): Promise<RunWriter> {
  let cells = cellsBefore;
  const safe = (): string => safeText(dir, cells);
  const cellFile = await LineFile.open(join(dir, files.cells), safe);
  const blockFile = await LineFile.open(join(dir, files.blocks), safe);
  const logs = new Map<string, Promise<LineFile>>();
  const metrics = [new MetricsFiles(dir, attempt, safe)];
  let latest: Promise<void> = Promise.resolve();
  return {
    dir,
    appendBlock: (block: BlockRecord) => blockFile.append(JSON.stringify(block)),
    appendCell: async (cell: CellRecord) => {
      await cellFile.append(JSON.stringify(cell));
      cells += 1;
    },
    replaceCells: (final: readonly CellRecord[]) =>
      replaceFile(join(dir, files.cells), linesOf(final), safe()),
    appendLog: async (name: string, text: string) => {
      const path = `${files.logs}/${logName(name)}`;
      const file = logs.get(path) ?? LineFile.open(join(dir, path), safe);
      logs.delete(path);
      logs.set(path, file);
      if (logs.size > maxOpenLogs) {
        const [[oldest, idle]] = logs as unknown as [[string, Promise<LineFile>]];
        logs.delete(oldest);
        await (await idle).close();
      }
      await (await file).append(text);
      return path;
    },
    appendMetrics: async (host, lines) => metrics.at(-1)?.append(host, lines),
    beginAttempt: (next) => void metrics.push(new MetricsFiles(dir, next, safe)),
    writeMachines: (machines) =>
      replaceFile(
        join(dir, files.machines),
        `${JSON.stringify({ schemaVersion: 1, machines }, null, 1)}\n`,
        safe(),
      ),
    update: (next: RunRecord) => {
      // Updates run one after the other: with two renames at the same time, the older record could be the one that remains.
      const done = latest.then(() => writeRecord(dir, next, safe()));
      latest = done.catch(() => undefined);
      return done;
    },
    close: async () => {
      await latest;
      const open = await Promise.allSettled([
        cellFile,
        blockFile,
        ...logs.values(),
        ...metrics.flatMap((one) => one.open()),
      ]);
      const ends = await Promise.allSettled(
        open.flatMap((file) => (file.status === 'fulfilled' ? [file.value.close()] : [])),
      );
      await lock.release();
      const failed = ends.find((end) => end.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    },
  };
}

/**
 * Returns the name of a run's folder, "2026-11-21T01-00-00Z-allreduce-7f3a2c". Several operations are joined by dashes and cut
 * at 40 characters. Such names sort by time and are valid on every file system.
 */
function folderName(record: RunRecord): string {
  const time = record.startedAt.replace(/\.\d+/, '').replaceAll(':', '-');
  const { pairs, points, workloads } = record.plan;
  const what =
    pairs === undefined
      ? [...new Set(points.map(({ workload, axes }) => whatOf(dataOf(workload, workloads), axes)))].join('-')
      : 'pairs';
  // The workload's name in a run that was received from elsewhere may be any text, so unusual characters are replaced.
  return [time, what.slice(0, 40).replace(/[^A-Za-z0-9._-]/g, '_') || 'run', record.id].join('-');
}

function logName(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9._-]/g, '_').replace(/^\.+/, '_');
  return /\.(log|txt|json|ndjson)$/.test(plain) ? plain : `${plain || 'log'}.log`;
}

export async function requireEmptyFolder(dir: string): Promise<void> {
  let entries: string[];
  try {
    if (!(await stat(dir)).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' });
    entries = await readdir(dir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw writeError(dir, error, 'Nothing was measured yet.');
  }
  if (entries.length > 0) {
    const text = `${dir} is there already and not empty (${entries.slice(0, 3).join(', ')}${entries.length > 3 ? ', ...' : ''}). Nothing in it was changed. Give --out a new or empty folder.`;
    throw new StoreError('exists', dir, text);
  }
}

const writeRecord = (dir: string, record: RunRecord, safe: string): Promise<void> =>
  replaceFile(join(dir, files.record), `${JSON.stringify(record, null, 2)}\n`, safe);

/**
 * Replaces a file by write, sync and rename: a reader sees either the old or the new file, even after a crash.
 * @param safe sentence for error messages that says which data are already on disk
 * @throws StoreError full, unwritable, write
 */
export async function replaceFile(path: string, text: string, safe: string): Promise<void> {
  try {
    await replaceWhole(path, text, { isSynced: true });
  } catch (error) {
    throw writeError(path, error, safe);
  }
}
