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
import type { RunWriter } from './types.ts';

export interface CreateOptions {
  /** Folder of all runs; `collbench-runs` by default. */
  root?: string;
  /** The run's own folder instead: created, or there and empty. */
  out?: string;
  record: RunRecord;
}

/** Id of a run: six hex digits, random. */
export function newRunId(): string {
  // Of the global object: node:crypto would be loaded by every command that reads a run.
  return Buffer.from(crypto.getRandomValues(new Uint8Array(3))).toString('hex');
}

/**
 * Makes the folder of a run, `<root>/<UTC time>-<what>-<id>`, with its first run.json. To be called before anything is
 * measured: a folder that cannot be written to is found here.
 * @throws StoreError exists (`out` is there and not empty), unwritable, full
 */
export async function createRun(options: CreateOptions): Promise<RunWriter> {
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
 * Goes on writing a run that was left: what stands after the last whole line is cut off, cells.ndjson holds `cells`
 * alone, run.json is `record`. The lock is released by close(), and here when this fails.
 * @throws StoreError unwritable, full
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

/** @param cells finished before */
async function writerOf(dir: string, record: RunRecord, lock: RunLock, cells: number): Promise<RunWriter> {
  try {
    await writeRecord(dir, record, safeText(dir, cells));
    return await openWriter(dir, attemptsOf(record), lock, cells);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Hosts can be many more than files that may be open. */
const mostOpenLogs = 64;

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
      if (logs.size > mostOpenLogs) {
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
      // One after the other: two renames at once could leave the older one in place.
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

/** "2026-11-21T01-00-00Z-allreduce-7f3a2c": sorts by time, safe on every file system, short enough to read. */
function folderName(record: RunRecord): string {
  const time = record.startedAt.replace(/\.\d+/, '').replaceAll(':', '-');
  const { pairs, points, workloads } = record.plan;
  const what =
    pairs === undefined
      ? [...new Set(points.map(({ workload, axes }) => whatOf(dataOf(workload, workloads), axes)))].join('-')
      : 'pairs';
  // Of a run that was received, the workload is somebody else's text.
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

/** By write, sync and rename: a reader sees the old file or the new one, whatever happens in between. */
export async function replaceFile(path: string, text: string, safe: string): Promise<void> {
  try {
    await replaceWhole(path, text, { isSynced: true });
  } catch (error) {
    throw writeError(path, error, safe);
  }
}
