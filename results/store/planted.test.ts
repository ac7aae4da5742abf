// Files that another user put in the place of collbench's files. Pipes, devices, links and folders must not block, fill memory or
// mislead.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { UnreadableFile } from '../files/plain.ts';
import { openToAppend } from '../files/whole.ts';
import { testExplanation } from '../testing/explanation.ts';
import { writeNight } from '../testing/nights.ts';
import { StoreError } from './errors.ts';
import { createFinding, listFindings } from './findings.ts';
import { LineFile } from './lines.ts';
import { listRuns } from './list.ts';
import { lockRun } from './lock.ts';
import { openRun } from './read.ts';
import { indexName, readIndex } from './run-index/lines.ts';
import { enterIndex, openIndex } from './run-index/open.ts';
import { openNamed } from './stored-record.ts';
import { reopenRun } from './write.ts';

/** Kinds of planted files; each function creates one at the path. */
const plants: Record<string, (path: string) => Promise<unknown> | unknown> = {
  'a pipe that nobody writes': (path) => execFileSync('mkfifo', [path]),
  'a link to a device without end': (path) => symlink('/dev/zero', path),
  'a folder': (path) => mkdir(path),
};

async function rootOf(t: TestContext): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'collbench-planted-'));
  t.after(() => rm(root, { recursive: true, force: true }));
  return root;
}

/** Uses a stored run in every way that later commands do. */
async function useAll(dir: string): Promise<void> {
  const root = dirname(dir);
  const works: (() => Promise<unknown>)[] = [
    () => listRuns(root),
    () => openIndex(root),
    () => listFindings('explanation', root),
    () => openNamed('eeee05', root),
    async () => readIndex(root),
    async () => {
      const run = await openRun(dir);
      for await (const block of run.blocks()) void block;
      await run.metrics();
      await run.topologies();
      await enterIndex(run);
      const writer = await reopenRun(dir, run.record, run.cells, await lockRun(dir, ''));
      await writer.appendLog('session', 'one more line');
      await writer.close();
    },
  ];
  for (const work of works) await work().catch((error) => assert.ok(error instanceof Error));
}

for (const [what, plant] of Object.entries(plants)) {
  test(`${what} in the place of any file of a run, its lock, its explanation or the index ends no command late`, {
    timeout: 30_000,
  }, async (t) => {
    const root = await rootOf(t);
    const dir = await writeNight(root, { night: 0 });
    await openIndex(root);
    await writeFile(join(dir, '.writer-1.json'), '');
    await mkdir(join(dir, 'logs'), { recursive: true });
    await writeFile(join(dir, 'logs/session.log'), 'a line\n');
    const entries = await readdir(dir, { recursive: true, withFileTypes: true });
    const ofRun = entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
    assert.ok(ofRun.length >= 5, ofRun.join());
    const explanation = join(
      (await createFinding('explanation', testExplanation(), 'allreduce', { root })).dir,
      'explanation.json',
    );
    for (const path of [...ofRun, explanation, join(root, indexName)]) {
      const content = await readFile(path).catch(() => Buffer.alloc(0));
      await rm(path, { recursive: true, force: true });
      await plant(path);
      await useAll(dir);
      await rm(path, { recursive: true, force: true });
      await writeFile(path, content);
    }
  });
}

test('lines are appended to plain files alone', async (t) => {
  const root = await rootOf(t);
  const victim = join(root, 'victim');
  await writeFile(victim, 'mine\n');
  const path = join(root, 'lines');
  for (const plant of [...Object.values(plants), (at: string) => symlink(victim, at)]) {
    await plant(path);
    await assert.rejects(openToAppend(path));
    await assert.rejects(
      LineFile.open(path, () => ''),
      StoreError,
    );
    await rm(path, { recursive: true });
  }
  assert.equal(await readFile(victim, 'utf8'), 'mine\n');
  execFileSync('mkfifo', [path]);
  await assert.rejects(openToAppend(path), UnreadableFile);
});

test('a run whose index is a link or a pipe ends well, says so, and touches nothing behind it', async (t) => {
  const root = await rootOf(t);
  const run = await openRun(await writeNight(root, { night: 0 }));
  const victim = join(root, 'victim');
  await writeFile(victim, 'mine\n');
  const index = join(root, indexName);
  for (const plant of [(path: string) => symlink(victim, path), plants['a pipe that nobody writes']]) {
    await rm(index, { force: true });
    await plant?.(index);
    assert.match((await enterIndex(run)) ?? '', /the index .* could not be written \(it is a/);
    const { lines, warnings } = await openIndex(root);
    assert.equal(lines.length, 1);
    assert.match(warnings.join(), /cannot be read \(it is a/);
  }
  assert.equal(await readFile(victim, 'utf8'), 'mine\n');
  // Rebuilding the index replaces the link by a file.
  await rm(index);
  await symlink(victim, index);
  assert.deepEqual((await openIndex(root, true)).warnings, []);
  assert.ok((await lstat(index)).isFile());
});

test('a planted lock names no process outside the numbers of processes, and hides no later lock', async (t) => {
  const dir = await rootOf(t);
  const own = await lockRun(dir, '');
  const text = await readFile(join(dir, '.writer-1.json'), 'utf8');
  await own.release();
  for (const pid of ['../../x', -1, 0, 1.5, 2 ** 53, null]) {
    await writeFile(join(dir, '.writer-1.json'), JSON.stringify({ ...JSON.parse(text), pid }));
    await (await lockRun(dir, '')).release();
  }
  for (const name of ['9'.repeat(23), '9'.repeat(15), '0', '007']) {
    await writeFile(join(dir, `.writer-${name}.json`), '');
    const first = await lockRun(dir, '');
    await assert.rejects(lockRun(dir, ''), /is being written by process/, name);
    await first.release();
  }
});
