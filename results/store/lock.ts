import { randomUUID } from 'node:crypto';
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
 * Makes this process the one writer of a run. Each writer puts a file with the next number; a link() onto a name that
 * exists fails, so of two that find the same dead writer only one succeeds it. What the dead left is harmless.
 * @throws StoreError in-use: a writer lives, or lives where it cannot be seen from here
 */
export async function lockRun(dir: string, safe: string): Promise<RunLock> {
  const numbers = (await readdir(dir)).map(number).filter((n) => n > 0);
  const last = Math.max(0, ...numbers);
  if (last > 0) await refuseLiving(dir, last);
  const own = fileOf(dir, last + 1);
  const draft = join(dir, `${files.writer}${randomUUID()}.tmp`);
  try {
    await writeFile(draft, `${JSON.stringify(await thisWriter())}\n`);
    await link(draft, own);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') await refuseLiving(dir, last + 1);
    throw writeError(own, error, safe);
  } finally {
    await rm(draft, { force: true }).catch(() => undefined);
  }
  let isReleased = false;
  return {
    release: async () => {
      // Once: the next writer's file has the same name.
      if (isReleased) return;
      isReleased = true;
      for (const n of [...numbers, last + 1])
        await rm(fileOf(dir, n), { force: true }).catch(() => undefined);
    },
  };
}

async function refuseLiving(dir: string, n: number): Promise<void> {
  const path = fileOf(dir, n);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch {
    return; // It ended meanwhile.
  }
  const writer = parsed(text);
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
