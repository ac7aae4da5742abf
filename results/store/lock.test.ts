import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { StoreError } from './errors.ts';
import { lockRun } from './lock.ts';

async function folder(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'collbench-lock-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  return dir;
}
const lock = (dir: string) => lockRun(dir, 'Nothing was changed.');
const inUse = (text: RegExp) => (error: unknown) => {
  assert.ok(error instanceof StoreError, String(error));
  assert.equal(error.code, 'in-use');
  assert.match(error.message, text);
  return true;
};

/** Leaves the lock file of a process that was killed while it held the lock; resolves when the process has ended. */
async function leftBehind(dir: string): Promise<void> {
  const module = fileURLToPath(new URL('./lock.js', import.meta.url));
  const program = `const { lockRun } = await import(${JSON.stringify(module)});
await lockRun(${JSON.stringify(dir)}, ''); process.stdout.write('locked'); setInterval(() => {}, 1 << 30);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program]);
  await once(child.stdout, 'data');
  await assert.rejects(lock(dir), inUse(new RegExp(`process ${child.pid} on .*Wait for its end`)));
  child.kill('SIGKILL');
  await once(child, 'exit');
}

test('one writer at a time; its end leaves nothing and lets the next one in', async (t) => {
  const dir = await folder(t);
  const first = await lock(dir);
  await assert.rejects(lock(dir), inUse(new RegExp(`process ${process.pid} on `)));
  await first.release();
  assert.deepEqual(await readdir(dir), []);
  await (await lock(dir)).release();
});

test('a killed writer is succeeded, also twice', async (t) => {
  const dir = await folder(t);
  await leftBehind(dir);
  await leftBehind(dir);
  const third = await lock(dir);
  await third.release();
  assert.deepEqual(await readdir(dir), []);
});

test('of many that find a dead writer at once, one succeeds it', async (t) => {
  const dir = await folder(t);
  await leftBehind(dir);
  const ends = await Promise.allSettled(Array.from({ length: 20 }, () => lock(dir)));
  const won = ends.filter((end) => end.status === 'fulfilled');
  assert.equal(won.length, 1);
  for (const end of ends) if (end.status === 'rejected') inUse(/being written/)(end.reason);
  await won[0]?.value.release();
});

test('the number of a process that ended may be another process now', async (t) => {
  const dir = await folder(t);
  const own = await lock(dir);
  const file = join(dir, '.writer-1.json');
  const writer = JSON.parse(await readFile(file, 'utf8'));
  await own.release();
  await writeFile(file, JSON.stringify({ ...writer, startTicks: '1' }));
  await (await lock(dir)).release();
});

test('a writer of an earlier boot is gone; one on another machine or in another container cannot be seen', async (t) => {
  const dir = await folder(t);
  const own = await lock(dir);
  const file = join(dir, '.writer-1.json');
  const writer = JSON.parse(await readFile(file, 'utf8'));
  await own.release();

  await writeFile(file, JSON.stringify({ ...writer, boot: 'another' }));
  await (await lock(dir)).release();
  for (const elsewhere of [{ host: 'gpu07', boot: 'another' }, { pidNamespace: 'pid:[1]' }]) {
    await writeFile(file, JSON.stringify({ ...writer, ...elsewhere }));
    await assert.rejects(lock(dir), inUse(/nobody can see whether it still is.*remove .*\.writer-1\.json/));
  }
});

test('a lock that was never written to its end holds nobody up', async (t) => {
  const dir = await folder(t);
  await writeFile(join(dir, '.writer-1.json'), '');
  await (await lock(dir)).release();
});

test('many that come while a writer leaves: never two at once, and nothing stays', async (t) => {
  const dir = await folder(t);
  let most = 0;
  let held = 0;
  for (let round = 0; round < 150; round += 1) {
    const leaving = await lock(dir);
    const take = async (): Promise<void> => {
      const mine = await lock(dir);
      held += 1;
      most = Math.max(most, held);
      // The call lets other attempts run while the lock is held.
      await readdir(dir);
      held -= 1;
      await mine.release();
    };
    await Promise.allSettled([take(), take(), leaving.release(), take(), take(), take()]);
    assert.deepEqual(await readdir(dir), []);
  }
  assert.ok(most <= 1, `${most} writers at once`);
});
