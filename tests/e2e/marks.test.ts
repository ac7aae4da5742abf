// test: up to 60 s
// Labels of runs, and the removal of runs by `rm` and `prune`.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { run, withFolder } from './harness.ts';

const small = [
  '--sizes',
  '8',
  '--launches',
  '1',
  '--iters',
  '3',
  '--warmup',
  '0',
  '--sample-interval',
  'off',
];

test('a label stands for the id, tags and words find runs, several of one label are told', async () => {
  await withFolder(async (cwd) => {
    const marked = ['--label', 'new cable', '--tag', 'rack=7', '--tag', 'driver=570', '--note', 'since noon'];
    assert.equal((await run(['allreduce', ...small, ...marked], { cwd })).code, 0);
    assert.equal((await run(['broadcast', ...small], { cwd })).code, 0);
    assert.match((await run(['show', 'new cable'], { cwd })).stdout, /^allreduce/);
    const list = async (...words: string[]) =>
      (await run(['runs', ...words], { cwd })).stdout.trim().split('\n');
    assert.match(
      (await list('--filter', 'rack=7'))[0] ?? '',
      /allreduce.* · 'new cable' · (driver=570 · rack=7|rack=7 · driver=570)$/,
    );
    assert.equal((await list('--filter', 'rack=7')).length, 1);
    assert.match((await list('--filter', 'broadcast complete')).join(), /broadcast/);
    assert.match((await list('--filter', 'rack=8')).join(), /none of 2 runs has all of: rack=8/);
    const [json] = (await list('--json')).map((line) => JSON.parse(line));
    assert.deepEqual([json.label, json.tags.rack, json.notes], ['new cable', '7', ['since noon']]);
    assert.equal((await run(['allreduce', ...small, '--label', 'new cable'], { cwd })).code, 0);
    assert.match(
      (await run(['show', 'new cable'], { cwd })).stderr,
      /label of several runs: [0-9a-f]{6}, [0-9a-f]{6}/,
    );
  });
});

for (const [words, pattern] of [
  [['--label', '7f3a2c'], /--label 7f3a2c: it looks like the id of a run/],
  [['--label', 'last~1'], /it looks like the id of a run/],
  [['--label', '../x'], /not a label/],
  [['--tag', 'rack'], /--tag rack: rack is not NAME=VALUE/],
] as const) {
  test(`refused: ${words.join(' ')}`, async () => {
    const { code, stderr } = await run(['allreduce', '--plan-only', ...words]);
    assert.equal(code, 1);
    assert.match(stderr, pattern);
  });
}

test('labels name runs in compare and show, and completion offers them', async () => {
  await withFolder(async (cwd) => {
    for (const label of ['before', 'after']) await run(['allreduce', ...small, '--label', label], { cwd });
    const offered = await run(['--complete', 'compare', ''], { cwd });
    const [last = '', ...labels] = offered.stdout.split('\n').slice(0, 3);
    assert.match(last, /^last\t/);
    // Both runs may have started within the same second; then their order is undefined.
    assert.match(labels.sort().join('\n'), /^after\trun [0-9a-f]{6}\nbefore\trun [0-9a-f]{6}$/);
    const compared = await run(['compare', 'before', 'after'], { cwd });
    assert.match(compared.stdout, /^base {2}[0-9a-f]{6} {2}'before' .*\nwith {2}[0-9a-f]{6} {2}'after' /);
    assert.match(compared.stdout, /^(after(?: is| has|: up to) |No verdict for after )/m);
    assert.match((await run(['show', 'after'], { cwd })).stdout, /run [0-9a-f]{6} 'after'/);
  });
});

test('rm removes what is named and nothing else; prune keeps the newest and what has a name', async () => {
  await withFolder(async (cwd) => {
    for (const marks of [['--label', 'kept'], [], [], []])
      await run(['allreduce', ...small, ...marks], { cwd });
    const root = path.join(cwd, 'collbench-runs');
    // Names of runs sort by start time, except within the same second.
    const startOf = (name: string): string =>
      JSON.parse(readFileSync(path.join(root, name, 'run.json'), 'utf8')).startedAt;
    const folders = () =>
      readdirSync(root)
        .filter((name) => name.includes('allreduce'))
        .sort((a, b) => startOf(a).localeCompare(startOf(b)));
    const [first = '', second = '', third = ''] = folders();
    const bad = await run(['rm', 'last', 'nothing'], { cwd });
    assert.match(bad.stderr, /no run 'nothing'/);
    assert.equal(folders().length, 4, 'all are found before the first is gone');
    symlinkSync(path.join(root, second), path.join(cwd, 'link'));
    assert.match((await run(['rm', 'link'], { cwd })).stderr, /is a link to a run/);
    assert.equal((await run(['rm', second], { cwd })).code, 0);
    assert.ok(!existsSync(path.join(root, second)) && folders().length === 3);
    const dry = await run(['prune', '--keep', '1', '--dry-run'], { cwd });
    assert.match(dry.stdout, new RegExp(`^would remove ${third.slice(-6)} `));
    assert.equal(folders().length, 3);
    const without = await run(['prune'], { cwd });
    assert.deepEqual([without.code, folders().length], [1, 3]);
    assert.match(without.stderr, /--keep is missing[\s\S]*Next: collbench prune --keep 50 --dry-run/);
    assert.equal((await run(['prune', '--keep', '1'], { cwd })).code, 0);
    assert.deepEqual([folders().length, folders().includes(first)], [2, true]);
    assert.match((await run(['prune', '--keep', '1'], { cwd })).stdout, /nothing to remove/);
  });
});
