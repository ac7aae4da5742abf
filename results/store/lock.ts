import { link, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { StoreError, writeError } from './errors.ts';
import { files } from './paths.ts';

/** Who writes a run: enough to tell, on the same machine, whether that very process is still there. */
export interface Writer {
  host: string;
  pid: number;
  /** Clock ticks after boot (proc(5), starttime): a later process of the same number has another. */
  startTicks: string;
  /** Boot of the machine, and the world its process numbers belong to. */
  boot: string;
  pidNamespace: string;
  since: string;
}

export interface RunLock {
  /** Never rejects; may be called twice. */
  release(): Promise<void>;
}

const number = (name: string): number =>
  Number(new RegExp(`^\\${files.writer}(\\d+)\\.json$`).exec(name)?.[1] ?? 0);
const fileOf = (dir: string, n: number): string => join(dir, `${files.writer}${n}.json`);

/**
 * Makes this process the one writer of a run: a file with a number of its own, put there before it looks who else has one.
 * Of two that come at once at least one sees the other, and may give way although the other does, too.
 * @throws StoreError in-use: a writer lives, or lives where it cannot be seen from here
 */
export async function lockRun(dir: string, safe: string): Promise<RunLock> {
  const before = await numbersIn(dir);
  for (const n of before) await refuseLiving(dir, n);
  const mine = Math.max(0, ...before) + 1;
  const own = fileOf(dir, mine);
  await put(own, join(dir, `${files.writer}${crypto.randomUUID()}.tmp`), safe, () => refuseLiving(dir, mine));
  const remove = (n: number) => rm(fileOf(dir, n), { force: true }).catch(() => undefined);
  try {
    const others = (await numbersIn(dir)).filter((n) => n !== mine);
    for (const n of others) await refuseLiving(dir, n, !before.includes(n));
  } catch (error) {
    await remove(mine);
    throw error;
  }
  // They are dead: nobody but the next writer removes what a killed one left.
  for (const n of before) await remove(n);
  let isReleased = false;
  return {
    release: async () => {
      // Once: the next writer's file has the same name.
      if (isReleased) return;
      isReleased = true;
      await remove(mine);
    },
  };
}

const numbersIn = async (dir: string): Promise<number[]> =>
  (await readdir(dir)).map(number).filter((n) => n > 0);

/** What file systems without hard links answer. */
const noLinks = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

/** A file that comes into being with its content, under a name that nobody has. @throws StoreError */
async function put(own: string, draft: string, safe: string, whenThere: () => Promise<void>): Promise<void> {
  try {
    const text = `${JSON.stringify(await thisWriter())}\n`;
    await writeFile(draft, text);
    await link(draft, own).catch((error: NodeJS.ErrnoException) => {
      if (!noLinks.includes(error.code ?? '')) throw error;
      return writeFile(own, text, { flag: 'wx' });
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') await whenThere();
    throw writeError(own, error, safe);
  } finally {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}

/** @param isNew it came just now, so that one without content is about to get it */
async function refuseLiving(dir: string, n: number, isNew = false): Promise<void> {
  const path = fileOf(dir, n);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch {
    return; // It ended meanwhile.
  }
  const writer = parsed(text);
  if (writer === null && isNew) {
    throw new StoreError(
      'in-use',
      path,
      `another process is starting to write the run in ${dir}. Nothing was changed.`,
    );
  }
  // An empty file: the machine stopped before the name had a content.
  if (writer === null) return;
  const state = await stateOf(writer);
  if (state === 'gone') return;
  const who = `process ${writer.pid} on ${writer.host}, since ${writer.since}`;
  throw new StoreError(
    'in-use',
    path,
    state === 'alive'
      ? `the run in ${dir} is being written by ${who}. Nothing was changed. Wait for its end, or end it.`
      : `the run in ${dir} was being written by ${who}; from here nobody can see whether it still is. Nothing was changed. If it is gone, remove ${path}.`,
  );
}

function parsed(text: string): Writer | null {
  try {
    return JSON.parse(text) as Writer;
  } catch {
    return null;
  }
}

async function stateOf(writer: Writer): Promise<'alive' | 'gone' | 'unknown'> {
  const here = await thisWriter();
  if (writer.boot !== here.boot) return writer.host === here.host ? 'gone' : 'unknown';
  if (writer.pidNamespace !== here.pidNamespace) return 'unknown';
  return (await startTicks(writer.pid)) === writer.startTicks ? 'alive' : 'gone';
}

async function thisWriter(): Promise<Writer> {
  const read = (work: Promise<string>): Promise<string> =>
    work.then(
      (text) => text.trim(),
      () => '',
    );
  return {
    host: hostname(),
    pid: process.pid,
    startTicks: await startTicks(process.pid),
    boot: await read(readFile('/proc/sys/kernel/random/boot_id', 'utf8')),
    pidNamespace: await read(readlink('/proc/self/ns/pid')),
    since: new Date().toISOString(),
  };
}

/** Field 22 of /proc/PID/stat; "" when there is no such process, or only its remains. */
async function startTicks(pid: number): Promise<string> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The name, field 2, may hold blanks and brackets.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? '' : (fields[19] ?? '');
  } catch {
    return '';
  }
}
