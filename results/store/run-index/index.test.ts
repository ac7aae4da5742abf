import assert from 'node:assert/strict';
import fs from 'node:fs';
import {
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { matchingGroups, trendOf } from '../../history/trend.ts';
import { historyLine } from '../../schema/index.ts';
import { idOf, nightAt, writeNight } from '../../testing/nights.ts';
import { listRuns } from '../list.ts';
import { findRun, openRun } from '../read.ts';
import { prunable, removeRun } from '../remove.ts';
import { indexName } from './lines.ts';
import { enterIndex, openIndex } from './open.ts';

async function rootOf(t: TestContext, nights: number): Promise<{ root: string; folders: string[] }> {
  const root = await mkdtemp(join(tmpdir(), 'collbench-index-'));
  t.after(() => rm(root, { recursive: true, force: true }));
  const folders: string[] = [];
  for (let night = 0; night < nights; night += 1) folders.push(await writeNight(root, { night }));
  return { root, folders };
}

/** History of all series, which must be the same however the index was made. */
async function answer(root: string, rebuild = false) {
  const index = await openIndex(root, rebuild);
  const trends = matchingGroups(index, { asked: '' }).map((name) => trendOf(index, name, { asked: '' }));
  return { trends, warnings: index.warnings };
}

/** Names of run folders whose run.json was opened during `work`. */
async function recordsOpened(t: TestContext, work: () => Promise<unknown>): Promise<string[]> {
  const opened: string[] = [];
  const note = (path: unknown): void => {
    const found = /([^/]+)\/run\.json$/.exec(String(path))?.[1];
    if (found !== undefined) opened.push(found);
  };
  const { openSync } = fs;
  const { open } = fs.promises;
  const mocks = [
    t.mock.method(fs, 'openSync', (...args: Parameters<typeof openSync>) => {
      note(args[0]);
      return openSync(...args);
    }),
    t.mock.method(fs.promises, 'open', (...args: Parameters<typeof open>) => {
      note(args[0]);
      return open(...args);
    }),
  ];
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    for (const { mock } of mocks) mock.restore();
    syncBuiltinESMExports();
  }
  return opened.sort();
}

const nameOf = (folder: string): string => folder.split('/').at(-1) as string;
const namesOf = (folders: readonly string[]): string[] => folders.map(nameOf).sort();

/** Rewrites the record of a run, as commands that add notes do. */
async function rewriteRecord(folder: string, change: object): Promise<void> {
  const path = join(folder, 'run.json');
  const record = JSON.parse(await readFile(path, 'utf8'));
  await writeFile(`${path}.new`, JSON.stringify({ ...record, ...change }, null, 2));
  await rename(`${path}.new`, path);
}

test('a second list opens no run.json, and neither does a history after it', async (t) => {
  const { root, folders } = await rootOf(t, 4);
  assert.deepEqual(await recordsOpened(t, () => listRuns(root)), namesOf(folders));
  const first = await listRuns(root);
  assert.deepEqual(
    first.map(({ id }) => id),
    [0, 1, 2, 3].map((night) => idOf(night)),
  );
  for (const work of [listRuns, openIndex]) assert.deepEqual(await recordsOpened(t, () => work(root)), []);
  assert.deepEqual(await listRuns(root), first);
});

test('a list after a history, or after runs that were measured here, opens no run.json', async (t) => {
  const { root, folders } = await rootOf(t, 3);
  await openIndex(root);
  assert.deepEqual(await recordsOpened(t, () => listRuns(root)), []);
  await rm(join(root, indexName));
  for (const folder of folders) await enterIndex(await openRun(folder));
  assert.deepEqual(await recordsOpened(t, () => listRuns(root)), []);
});

test('a line from the index shows what the run itself shows', async (t) => {
  const { root, folders } = await rootOf(t, 1);
  const suite = {
    id: '41c2aa',
    name: 'nightly',
    entry: 'small',
    arm: 'anchor',
    pass: 'again',
    turn: 1,
  } as const;
  const notes = ['cable "7"\\ größe', 'second note'];
  await rewriteRecord(folders[0] as string, { label: 'a "b"', tags: { rack: '7' }, notes, suite });
  const read = await listRuns(root);
  assert.deepEqual(await listRuns(root), read);
  const { turn: _, ...shown } = suite;
  assert.deepEqual(
    read.map((one) => [one.label, one.tags, one.notes, one.suite, one.cellsMeasured, one.cellsExpected]),
    [['a "b"', { rack: '7' }, notes, shown, 3, 3]],
  );
  for (const line of (await readFile(join(root, indexName), 'utf8')).split('\n'))
    if (line.includes('"folder"')) historyLine.parse(JSON.parse(line));
});

test('notes that were changed, a deleted run and a new one: only what changed is read', async (t) => {
  const { root, folders } = await rootOf(t, 4);
  await listRuns(root);
  const [first, second] = folders as [string, string];
  await rewriteRecord(first, { notes: ['after a reboot'] });
  await removeRun(second);
  const added = await writeNight(root, { night: 7 });
  let listed: Awaited<ReturnType<typeof listRuns>> = [];
  const opened = await recordsOpened(t, async () => {
    listed = await listRuns(root);
  });
  assert.deepEqual(opened, namesOf([first, added]));
  assert.deepEqual(
    listed.map(({ id, notes }) => [id, notes]),
    [
      [idOf(0), ['after a reboot']],
      [idOf(2), []],
      [idOf(3), []],
      [idOf(7), []],
    ],
  );
  assert.deepEqual(await recordsOpened(t, () => listRuns(root)), []);
  assert.deepEqual(await listRuns(root), listed);
});

test('a record of the same size is read again when its time has changed', async (t) => {
  const { root, folders } = await rootOf(t, 2);
  await listRuns(root);
  const touched = folders[1] as string;
  await utimes(join(touched, 'run.json'), new Date(0), new Date(86_400_000));
  assert.deepEqual(await recordsOpened(t, () => listRuns(root)), [nameOf(touched)]);
});

test('a run that ends while others list is in the next list, and so are all others', async (t) => {
  const { root, folders } = await rootOf(t, 6);
  await Promise.all([
    listRuns(root),
    openIndex(root),
    (async () => folders.push(await writeNight(root, { night: 8 })))(),
    listRuns(root),
    (async () => enterIndex(await openRun(folders[0] as string)))(),
  ]);
  const listed = await listRuns(root);
  assert.deepEqual(namesOf(listed.map(({ dir }) => dir)), namesOf(folders));
  assert.deepEqual(await recordsOpened(t, () => listRuns(root)), []);
});

test('an index that was entered run by run, found, rebuilt or lost gives the same answer', async (t) => {
  const { root } = await rootOf(t, 3);
  // The last night has no interval at one of its sizes.
  const sd = (bytes: number) => (bytes === 8 ? 3 : 0.005);
  await writeNight(root, { night: 3, launches: 5, sd });
  const folders = (await readdir(root)).sort().map((name) => join(root, name));
  for (const folder of folders) assert.equal(await enterIndex(await openRun(folder)), null);
  const entered = await readFile(join(root, indexName), 'utf8');
  const first = await answer(root);
  assert.deepEqual(first.warnings, []);
  assert.deepEqual(
    first.trends[0]?.nights.map(({ open }) => open),
    [[], [], [], [8]],
  );
  assert.deepEqual(
    first.trends.map((trend) => trend?.regime),
    ['small', 'mid'],
  );
  await rm(join(root, indexName));
  assert.deepEqual(await answer(root), first);
  assert.equal(await readFile(join(root, indexName), 'utf8'), entered);
  assert.deepEqual(await answer(root, true), first);
  assert.equal(await readFile(join(root, indexName), 'utf8'), entered);
});

test('several writers at once lose nothing', async (t) => {
  const { root, folders } = await rootOf(t, 12);
  const runs = await Promise.all(folders.map((folder) => openRun(folder)));
  await Promise.all(runs.map((run) => enterIndex(run)));
  const text = (await readFile(join(root, indexName), 'utf8')).trimEnd();
  const lines = text.split('\n').filter((line) => line.includes('"folder"'));
  assert.deepEqual(
    new Set(lines.map((line) => JSON.parse(line).id)),
    new Set(runs.map(({ record }) => record.id)),
  );
});

test('half a line, a line of another version and nonsense are replaced: their runs are read, once', async (t) => {
  const { root, folders } = await rootOf(t, 3);
  const first = await answer(root);
  const path = join(root, indexName);
  const whole = await readFile(path, 'utf8');
  const [set = '', one = '', two = '', three = ''] = whole.split('\n');
  const older = two.replace('"schemaVersion":5', '"schemaVersion":4');
  await writeFile(path, `${set}\n${one}\n${older}\nnull\n{"figures":[\n${three.slice(0, three.length / 2)}`);
  assert.deepEqual(await recordsOpened(t, () => listRuns(root)), namesOf(folders.slice(1)));
  assert.equal(await readFile(path, 'utf8'), whole);
  assert.deepEqual(await answer(root), first);
  // A torn line stands at the end; the next run must start on a new line.
  const added = await writeNight(root, { night: 9 });
  await appendFile(path, '{"torn');
  await enterIndex(await openRun(added));
  assert.equal((await answer(root)).trends[0]?.nights.length, 4);
});

for (const [what, spoil] of Object.entries({
  'its columns are missing': (text: string) => text.split('\n').slice(1).join('\n'),
  'it is empty': () => '',
  'it holds another file': () => '\u0000\u0001 not an index\n'.repeat(50),
}))
  test(`an index is rebuilt when ${what}`, async (t) => {
    const { root } = await rootOf(t, 3);
    const first = await answer(root);
    const path = join(root, indexName);
    const whole = await readFile(path, 'utf8');
    await writeFile(path, spoil(whole));
    assert.deepEqual(await answer(root), first);
    assert.equal(await readFile(path, 'utf8'), whole);
  });

test('lines that later ones replace, or whose runs are gone, do not pile up', async (t) => {
  const { root, folders } = await rootOf(t, 2);
  const run = await openRun(folders[0] as string);
  for (let i = 0; i < 120; i += 1) await enterIndex(run);
  await listRuns(root);
  const lines = (await readFile(join(root, indexName), 'utf8')).split('\n');
  assert.equal(lines.filter((line) => line.includes('"folder"')).length, 2);
});

test('a run that was deleted is gone, one that was resumed counts as it is now', async (t) => {
  const { root, folders } = await rootOf(t, 3);
  await answer(root);
  await rm(folders[1] as string, { recursive: true });
  await rewriteRecord(folders[2] as string, { state: 'interrupted' });
  const { trends } = await answer(root);
  assert.deepEqual(
    trends[0]?.nights.map(({ runs, warnings }) => [runs[0]?.id, warnings]),
    [
      [idOf(0), []],
      [idOf(2), ['interrupted']],
    ],
  );
});

test('a run without an end is shown and not kept; folders that are no runs are passed over', async (t) => {
  const { root } = await rootOf(t, 1);
  await writeNight(root, { night: 1, record: { state: 'running', endedAt: null, exitCode: null } });
  await mkdir(join(root, 'notes'));
  await mkdir(join(root, 'broken'));
  await writeFile(join(root, 'broken', 'run.json'), '{');
  const { trends, warnings } = await answer(root);
  assert.deepEqual(trends[0]?.nights.at(-1)?.warnings, ['no end']);
  assert.match(warnings.join(), /^broken is left out/);
  assert.doesNotMatch(await readFile(join(root, indexName), 'utf8'), new RegExp(idOf(1)));
  assert.deepEqual(
    (await listRuns(root)).map(({ state, cellsMeasured }) => [state, cellsMeasured]),
    [
      ['complete', 3],
      ['running', 3],
      ['unreadable', null],
    ],
  );
});

test('a run whose run.json is gone is listed with the reason, and never hidden', async (t) => {
  const { root, folders } = await rootOf(t, 2);
  const [first = ''] = folders;
  await rm(join(first, 'run.json'));
  const [entry, other] = await listRuns(root);
  assert.equal(entry?.state, 'unreadable');
  assert.match(entry?.problem ?? '', /has no run\.json/);
  assert.equal(other?.problem, null);
});

test('a folder whose name JSON escapes is found by its line, and so is one in another script', async (t) => {
  const { root, folders } = await rootOf(t, 3);
  const names = ['a "b" \\c\\', 'größe-測定', 'plain'];
  for (const [i, name] of names.entries()) await rename(folders[i] as string, join(root, name));
  const first = await answer(root);
  assert.deepEqual(await recordsOpened(t, async () => assert.deepEqual(await answer(root), first)), []);
  assert.deepEqual(
    first.trends[0]?.nights.map(({ runs }) => runs[0]?.folder),
    names,
  );
});

test('a link to a run elsewhere is listed and found, and never pruned', async (t) => {
  const [{ root }, other] = [await rootOf(t, 1), await rootOf(t, 1)];
  const elsewhere = other.folders[0] as string;
  await rewriteRecord(elsewhere, { id: 'b00000' });
  await symlink(elsewhere, join(root, 'linked-b00000'));
  assert.deepEqual((await listRuns(root)).map(({ id }) => id).sort(), [idOf(0), 'b00000']);
  assert.equal(await findRun('b00000', root), join(root, 'linked-b00000'));
  assert.deepEqual(
    (await prunable(root, 0)).map(({ id }) => id),
    [idOf(0)],
  );
});

test('runs with a folder of their own name stay out of the folder above', async (t) => {
  const { root, folders } = await rootOf(t, 1);
  const run = await openRun(folders[0] as string);
  assert.equal(await enterIndex({ ...run, dir: join(root, 'monday') }), null);
  await assert.rejects(readFile(join(root, indexName)));
});

test('where the index cannot be written, lists and histories are complete', async (t) => {
  const { root } = await rootOf(t, 2);
  await mkdir(join(root, indexName));
  const { trends, warnings } = await answer(root);
  assert.equal(trends[0]?.nights.length, 2);
  assert.match(warnings.join(), /could not be written/);
  assert.equal((await listRuns(root)).length, 2);
});

test('the night is that of the start', () => assert.equal(nightAt(0), '2026-03-01T03:00:00.000Z'));
