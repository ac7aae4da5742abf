import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { start } from './harness.ts';

test('three runs come into the history by themselves; without its index the answer is the same', async (t) => {
  const cwd = await mkdtemp(path.join(tmpdir(), 'collbench-history-'));
  t.after(() => rm(cwd, { recursive: true, force: true }));
  const collbench = async (...args: string[]) => {
    const { code, stdout, stderr } = await start(args, { cwd }).ended;
    assert.equal(code, 0, stderr);
    return stdout;
  };
  // With few samples, two that other processes delayed would make the time of a size unusable.
  const quick = [
    '--sizes',
    '8,1K',
    '--launches',
    '2',
    '--iters',
    '100',
    '--warmup',
    '1',
    '--sample-interval',
    'off',
  ];
  for (const label of [[], [], ['--label', 'third']]) await collbench('allreduce', ...quick, ...label);

  const index = path.join(cwd, 'collbench-runs', 'runs.ndjson');
  const linesNow = async () =>
    (await readFile(index, 'utf8')).split('\n').filter((line) => line.includes('"folder"'));
  const lines = await linesNow();
  assert.equal(lines.length, 3);

  const asked = ['history', 'allreduce', 'socket', '--since', '2d', '--json'];
  const told = await collbench(...asked);
  const trend = JSON.parse(told);
  assert.equal(trend.title, 'allreduce float32 sum, cpu over socket, 2 ranks');
  const runs: string[] = trend.nights.flatMap((night: { runs: string[] }) => night.runs);
  // On a busy machine a size of one run may scatter by more than a factor of four; this run is then left out.
  const ids: string[] = lines.map((line) => JSON.parse(line).id);
  assert.deepEqual(
    runs,
    ids.filter((id) => runs.includes(id)),
  );
  assert.equal(runs.length + trend.leftOut.open, 3);
  await rm(index);
  assert.equal(await collbench(...asked), told);
  assert.equal(await collbench(...asked, '--rebuild'), told);
  assert.equal((await linesNow()).length, 3);

  const text = await collbench('history');
  assert.match(text, /small messages, up to 32 KiB; isolated latency\n/);
  const shown = runs.map((id) => (id === ids[2] ? 'third' : id));
  assert.match(
    text,
    new RegExp(`(?:night|UTC\\)) +run .*${shown.map((name) => `\\n.* ${name} +\\d`).join('.*')}`),
  );
  // The list of both series has a command for each of them, also for another folder of runs.
  await collbench('broadcast', ...quick);
  await rename(path.join(cwd, 'collbench-runs'), path.join(cwd, 'all nights'));
  const list = await collbench('history', '--root', 'all nights');
  const [, next = ''] = /\nfor one series: collbench (.*)\n$/.exec(list) ?? [];
  assert.match(next, / --root 'all nights'$/);
  const words = next.replace(/ --root .*/, '').split(' ');
  assert.match(await collbench(...words, '--root', 'all nights'), /^allreduce float32 sum, cpu over socket/);
  await rename(path.join(cwd, 'all nights'), path.join(cwd, 'collbench-runs'));
  await collbench('history', 'allreduce', '--out', 'trend');
  const page = await readFile(path.join(cwd, 'trend', 'history.html'), 'utf8');
  assert.match(page, /Content-Security-Policy/);
  assert.doesNotMatch(page, /https?:\/\/(?!www\.w3\.org|vega\.github\.io\/schema)/);
  assert.equal((await readdir(path.join(cwd, 'trend', 'figures'))).length, 2);
});

test('what cannot be asked names the value, what is allowed and a way out', async (t) => {
  const cwd = await mkdtemp(path.join(tmpdir(), 'collbench-history-'));
  t.after(() => rm(cwd, { recursive: true, force: true }));
  const refused = async (...args: string[]) => {
    const { code, stderr } = await start(['history', ...args], { cwd }).ended;
    assert.equal(code, args.length === 0 ? 2 : 1);
    return stderr;
  };
  assert.match(await refused(), /there are no runs in collbench-runs\nNext: collbench allreduce/);
  assert.match(await refused('--since', 'monday'), /--since monday: .*\n {2}allowed: a number of days/);
  assert.match(await refused('--since', '2026-02-30'), /neither a span of time nor a date/);
});
