import { readdir, readlink, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../files/json.ts';
import { readPlain, readPlainText, type UnreadableFile } from '../files/plain.ts';
import { createWhole } from '../files/whole.ts';
import { StoreError, writeError } from './errors.ts';
import { files } from './paths.ts';

const writer = z.object({
  host: z.string().max(255),
  /** Process id of the writer, at most the highest that Linux gives (proc(5), pid_max). */
  pid: z
    .int()
    .min(1)
    .max(2 ** 22),
  /**
   * Start time of the process in clock ticks after boot (proc(5), starttime). A later process with an equal id has another start
   * time.
   */
  startTicks: z.string(),
  /** Boot id of the machine, which changes at each boot. `pidNamespace` identifies the namespace in which `pid` is valid. */
  boot: z.string(),
  pidNamespace: z.string(),
  /** Time at which the lock was taken, ISO 8601; only error messages use it. */
  since: z.string().max(40),
});
/**
 * The process that writes a run. With these fields another process on the same machine can check whether this process still runs.
 */
type LockOwner = z.infer<typeof writer>;

/** Highest number of bytes read from a lock file or from a file in /proc. */
const maxWriterBytes = 64 * 2 ** 10;

export interface RunLock {
  /** Removes the lock file. Never rejects; may be called more than once. */
  release(): Promise<void>;
}

/**
 * Returns the number in the name of a lock file; 0 for other names. The number has at most 15 digits, which a JavaScript number
 * holds exactly.
 */
const number = (name: string): number =>
  Number(new RegExp(`^\\${files.writer}([1-9]\\d{0,14})\\.json$`).exec(name)?.[1] ?? 0);
const fileOf = (dir: string, n: number): string => join(dir, `${files.writer}${n}.json`);

/**
 * Makes this process the only writer of the run in folder `dir`, which must exist: it creates a numbered lock file, then looks for
 * other lock files. If two processes start at the same time, at least one sees the other's file; possibly both fail. Lock files of
 * processes that have ended are removed.
 * @param safe sentence for error messages that says which data are already on disk
 * @throws StoreError in-use: another writer runs, or may run where this machine cannot check it; unwritable, full, write: the lock
 * file cannot be created
 */
export async function lockRun(dir: string, safe: string): Promise<RunLock> {
  const before = await numbersIn(dir);
  for (const n of before) await refuseLiving(dir, n);
  // A lock file with the highest valid number may exist; the next number would be invalid, so a free lower one is used.
  const next = Math.max(0, ...before) + 1;
  const mine = number(`${files.writer}${next}.json`) === 0 ? firstFree(before) : next;
  await put(fileOf(dir, mine), safe, () => refuseLiving(dir, mine));
  const remove = (n: number) => rm(fileOf(dir, n), { force: true }).catch(() => undefined);
  try {
    const others = (await numbersIn(dir)).filter((n) => n !== mine);
    for (const n of others) await refuseLiving(dir, n, !before.includes(n));
  } catch (error) {
    await remove(mine);
    throw error;
  }
  // The processes of these files have ended. A killed process leaves its file, which only the next writer removes.
  for (const n of before) await remove(n);
  let isReleased = false;
  return {
    release: async () => {
      // A second call must do nothing, because the next writer may use the same file name.
      if (isReleased) return;
      isReleased = true;
      await remove(mine);
    },
  };
}

const numbersIn = async (dir: string): Promise<number[]> =>
  (await readdir(dir)).map(number).filter((n) => n > 0);

const firstFree = (taken: readonly number[]): number => {
  let free = 1;
  while (taken.includes(free)) free += 1;
  return free;
};

/**
 * Creates the lock file `own` with the identity of this process.
 * @param safe sentence for error messages that says which data are already on disk
 * @param whenThere called first if the file already exists; throws if its writer still runs
 * @throws StoreError if the file could not be created
 */
async function put(own: string, safe: string, whenThere: () => Promise<void>): Promise<void> {
  try {
    await createWhole(own, `${JSON.stringify(await thisWriter())}\n`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') await whenThere();
    throw writeError(own, error, safe);
  }
}

/**
 * Checks that the process named in a lock file has ended. The check also passes if the file is gone, is something that no writer
 * creates, or has no valid content (but not if `isNew`).
 * @param n number of the lock file
 * @param isNew true if the file has just appeared, so that its process may not have written the content yet
 * @throws StoreError in-use if the process runs, or may run
 */
async function refuseLiving(dir: string, n: number, isNew = false): Promise<void> {
  const path = fileOf(dir, n);
  let text: Buffer;
  try {
    text = await readPlain(path, maxWriterBytes, { links: false });
  } catch (error) {
    // The writer removed its file, or the name belongs to something that no writer creates: a pipe, a device, a link, a folder, a
    // huge file.
    const { code, message } = error as UnreadableFile;
    if (noLock.includes(code)) return;
    throw new StoreError('in-use', path, `${path} cannot be read: ${message}. Nothing was changed.`);
  }
  const writer = parsed(text.toString('utf8'));
  if (writer === null && isNew) {
    throw new StoreError('in-use', path, `another process is starting to write ${dir}. Nothing was changed.`);
  }
  // A machine that stopped before the content was on disk leaves an empty file. Other content that cannot be parsed is not from
  // collbench.
  if (writer === null) return;
  const state = await stateOf(writer);
  if (state === 'gone') return;
  const who = `process ${writer.pid} on ${writer.host}, since ${writer.since}`;
  throw new StoreError(
    'in-use',
    path,
    state === 'alive'
      ? `${dir} is being written by ${who}. Nothing was changed. Wait for its end, or end it.`
      : `${dir} was being written by ${who}; from here nobody can see whether it still is. Nothing was changed. If it is gone, remove ${path}.`,
  );
}

const noLock = ['ENOENT', 'not-a-file', 'ELOOP', 'EISDIR', 'too-large'];

function parsed(text: string): LockOwner | null {
  try {
    return writer.parse(parseJson(text));
  } catch {
    return null;
  }
}

async function stateOf(writer: LockOwner): Promise<'alive' | 'gone' | 'unknown'> {
  const here = await thisWriter();
  if (writer.boot !== here.boot) return writer.host === here.host ? 'gone' : 'unknown';
  if (writer.pidNamespace !== here.pidNamespace) return 'unknown';
  return (await startTicks(writer.pid)) === writer.startTicks ? 'alive' : 'gone';
}

async function thisWriter(): Promise<LockOwner> {
  const read = (work: Promise<string>): Promise<string> =>
    work.then(
      (text) => text.trim(),
      () => '',
    );
  return {
    host: hostname(),
    pid: process.pid,
    startTicks: await startTicks(process.pid),
    boot: await read(readPlainText('/proc/sys/kernel/random/boot_id', maxWriterBytes)),
    pidNamespace: await read(readlink('/proc/self/ns/pid')),
    since: new Date().toISOString(),
  };
}

/** Returns the start time of a process (field 22 of /proc/PID/stat); "" if it does not exist or is a zombie. */
async function startTicks(pid: number): Promise<string> {
  try {
    const text = await readPlainText(`/proc/${pid}/stat`, maxWriterBytes);
    // The process name, field 2, may contain spaces and brackets.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? '' : (fields[19] ?? '');
  } catch {
    return '';
  }
}
