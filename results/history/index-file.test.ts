import assert from 'node:assert/strict';
import { appendFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type HistoryLine, historyLine } from '../schema/index.ts';
import { openRun } from '../store/index.ts';
import { idOf, nightAt, writeNight } from '../testing/nights.ts';
import { enterIndex, indexName, openIndex } from './file.ts';
import { matchingGroups, trendOf } from './trend.ts';

async function rootOf(t: TestContext, nights: number): Promise<{ root: string; folders: string[] }> {
  const root = await mkdtemp(join(tmpdir(), 'collbench-history-'));
  t.after(() => rm(root, { recursive: true, force: true }));
  const folders: string[] = [];
  for (let night = 0; night < nights; night += 1) folders.push(await writeNight(root, { night }));
  return { root, folders };
}

/** What is told of all series; the same however the index came about. */
async function answer(root: string, anew = false) {
  const index = await openIndex(root, anew);
  const trends = matchingGroups(index, { asked: '' }).map((name) => trendOf(index, name, { asked: '' }));
  return { trends, warnings: index.warnings };
}

test('an index that was entered run by run, found, rebuilt or lost gives the same answer', async (t) => {
  const { root, folders } = await rootOf(t, 4);
  for (const folder of folders) assert.equal(await enterIndex(await openRun(folder)), null);
  const entered = await readFile(join(root, indexName), 'utf8');
  const first = await answer(root);
  assert.deepEqual(first.warnings, []);
  assert.equal(first.trends[0]?.nights.length, 4);
  assert.deepEqual(
    first.trends.map((trend) => trend?.regime),
    ['small', 'mid'],
  );
  await rm(join(root, indexName));
  assert.deepEqual(await answer(root), first);
  assert.equal((await readFile(join(root, indexName), 'utf8')).length, entered.length);
  assert.deepEqual(await answer(root, true), first);
  assert.equal(await readFile(join(root, indexName), 'utf8'), entered);
});

test('a line that is read from the index has every field that was written', async (t) => {
  const { root } = await rootOf(t, 1);
  const [{ figures, set, folder }] = (await openIndex(root)).lines as [HistoryLine];
  const whole: Required<HistoryLine> = {
    schemaVersion: 4,
    folder,
    id: '0a1b2c',
    at: '2026-11-28T02:30:00.000Z',
    state: 'complete',
    hosts: ['gpu01', 'gpu02'],
    imported: true,
    suite: { id: '044e85', name: 'nightly', entry: 'small', arm: 'tonight', pass: 'again', turn: 1 },
    commit: '0123456789abcdef',
    label: 'after',
    cells: { expected: 4, measured: 3, wrong: 1, contradicted: 1 },
    flags: { 'cpu-busy': [0, 1] },
    open: { 0: [2 ** 21] },
    set,
    figures,
  };
  assert.deepEqual(Object.keys(whole).sort(), Object.keys(historyLine.shape).sort());
  await appendFile(join(root, indexName), `${JSON.stringify(whole)}\n`);
  assert.deepEqual((await openIndex(root)).lines, [whole]);
});

test('a run that lacks a size is left out, read from the index as from its folder', async (t) => {
  const { root } = await rootOf(t, 3);
  const sizes = [8, 16, 32];
  for (const night of [3, 4, 5]) await writeNight(root, { night, sizes, launches: 5 });
  // Launches of 16 B lie too far apart for an interval: the mean of this run is over 8 and 32 B.
  const sd = (bytes: number) => (bytes === 16 ? 3 : 0.005);
  await writeNight(root, { night: 6, sizes, launches: 5, sd });
  const fromFolders = await answer(root);
  assert.deepEqual(await answer(root), fromFolders);
  assert.equal(fromFolders.trends[0]?.leftOut.open, 1);
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

test('half a line, a line of another version and nonsense are passed over and their runs read', async (t) => {
  const { root, folders } = await rootOf(t, 3);
  const first = await answer(root);
  const path = join(root, indexName);
  const [set = '', one = '', two = '', three = ''] = (await readFile(path, 'utf8')).split('\n');
  const older = two.replace('"schemaVersion":4', '"schemaVersion":0');
  await writeFile(path, `${set}\n${one}\n${older}\nnull\n{"figures":[\n${three.slice(0, three.length / 2)}`);
  const mended = await answer(root);
  assert.deepEqual(mended.trends, first.trends);
  assert.match(mended.warnings.join(), /4 lines of .* could not be read and the runs themselves were/);
  // A run that ends now begins a line of its own.
  const added = await writeNight(root, { night: 9 });
  await appendFile(path, '{"torn');
  await enterIndex(await openRun(added));
  assert.equal((await answer(root)).trends[0]?.nights.length, 4);
  assert.equal(folders.length, 3);
});

test('an index of an older collbench is made anew from the runs, once', async (t) => {
  const { root } = await rootOf(t, 3);
  const first = await answer(root);
  const path = join(root, indexName);
  const text = await readFile(path, 'utf8');
  const older =
    '{"schemaVersion":1,"set":"0123456789ab","columns":[]}\n{"schemaVersion":1,"folder":"gone"}\n';
  await writeFile(path, older + text);
  assert.deepEqual(await answer(root), first);
  assert.equal(await readFile(path, 'utf8'), text);
});

test('a run that was deleted is gone, one that was gone on with counts as it is now', async (t) => {
  const { root, folders } = await rootOf(t, 3);
  await answer(root);
  await rm(folders[1] as string, { recursive: true });
  const run = await openRun(folders[2] as string);
  await enterIndex({ ...run, record: { ...run.record, state: 'interrupted' } });
  const { trends } = await answer(root);
  assert.deepEqual(
    trends[0]?.nights.map(({ runs, marks }) => [runs[0]?.id, marks]),
    [
      [idOf(0), []],
      [idOf(2), ['interrupted']],
    ],
  );
});

test('a run without an end is told and not kept; folders that are no runs are passed over', async (t) => {
  const { root } = await rootOf(t, 1);
  await writeNight(root, { night: 1, record: { state: 'running', endedAt: null, exitCode: null } });
  await mkdir(join(root, 'notes'));
  await mkdir(join(root, 'broken'));
  await writeFile(join(root, 'broken', 'run.json'), '{');
  const { trends, warnings } = await answer(root);
  assert.deepEqual(trends[0]?.nights.at(-1)?.marks, ['no end']);
  assert.match(warnings.join(), /^broken is left out/);
  assert.doesNotMatch(await readFile(join(root, indexName), 'utf8'), new RegExp(idOf(1)));
});

test('a folder whose name JSON escapes is found by its line, and so is one in another script', async (t) => {
  const { root, folders } = await rootOf(t, 3);
  const names = ['a "b" \\c\\', 'größe-測定', 'plain'];
  for (const [i, name] of names.entries()) await rename(folders[i] as string, join(root, name));
  const first = await answer(root);
  // What is told now can only come from the index.
  for (const name of names) await rm(join(root, name, 'run.json'));
  const second = await answer(root);
  assert.deepEqual(second, first);
  assert.deepEqual(
    second.trends[0]?.nights.map(({ runs }) => runs[0]?.folder),
    names,
  );
});

test('runs with a folder of their own name stay out of the folder above', async (t) => {
  const { root, folders } = await rootOf(t, 1);
  const run = await openRun(folders[0] as string);
  assert.equal(await enterIndex({ ...run, dir: join(root, 'monday') }), null);
  await assert.rejects(readFile(join(root, indexName)));
});

test('where the index cannot be written the history is told all the same', async (t) => {
  const { root } = await rootOf(t, 2);
  await mkdir(join(root, indexName));
  const { trends, warnings } = await answer(root);
  assert.equal(trends[0]?.nights.length, 2);
  assert.match(warnings.join(), /could not be written/);
});

test('the night is that of the start', () => assert.equal(nightAt(0), '2026-03-01T03:00:00.000Z'));
