import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { Refusal } from '../../results/refusals/refusal.ts';
import { bisectedList } from './items.ts';

function folderWith(t: TestContext, files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'collbench-bisect-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  return folder;
}

const overPlugin = ['allreduce', '--transport', 'plugin:{item}'];
const plain = ['allreduce', '--sizes', '64K'];
const ends = (folder: string, good: string, bad: string, command = overPlugin, build: string | null = null) =>
  bisectedList({ good, bad, build, folder, command });
const names = async (list: ReturnType<typeof bisectedList>) => (await list).items.map(({ name }) => name);

const refused = (code: string) => (error: unknown) => error instanceof Refusal && error.code === code;

test('files of a folder are ordered as people count, from the good end to the bad one; other names are left out', async (t) => {
  const versions = ['2.9.1', '2.10.0', '2.28.3', '2.28.10', '3.0.0'];
  const folder = folderWith(t, {
    ...Object.fromEntries(versions.map((one) => [`net/libnccl-net-${one}.so`, ''])),
    'net/README.md': '',
    'net/.cache': '',
  });
  const file = (version: string) => `net/libnccl-net-${version}.so`;
  const found = await names(ends(folder, file('2.9.1'), file('2.28.10')));
  assert.deepEqual(
    found,
    ['2.9.1', '2.10.0', '2.28.3', '2.28.10'].map((one) => `libnccl-net-${one}.so`),
  );
  const back = await names(ends(folder, file('3.0.0'), file('2.28.10')));
  assert.deepEqual(back, ['libnccl-net-3.0.0.so', 'libnccl-net-2.28.10.so']);
  const [first] = (await ends(folder, file('2.9.1'), file('3.0.0'))).items;
  assert.equal(first?.value, path.join(folder, file('2.9.1')));
});

test('hidden files are items if an end of the list is one', async (t) => {
  const folder = folderWith(t, { '.1.so': '', '.2.so': '', '.3.so': '', '2.so': '', '.cache': '' });
  assert.deepEqual(await names(ends(folder, '.1.so', '.3.so')), ['.1.so', '.2.so', '.3.so']);
  assert.deepEqual(await names(ends(folder, '.3.so', '2.so')), ['.3.so', '2.so']);
});

test('folders are items, too, as of releases of NCCL', async (t) => {
  const folder = folderWith(t, {
    'nccl/2.20/libnccl.so.2': '',
    'nccl/2.9/libnccl.so.2': '',
    'nccl/2.28/libnccl.so.2': '',
  });
  assert.deepEqual(await names(ends(folder, 'nccl/2.9', 'nccl/2.28')), ['2.9', '2.20', '2.28']);
});

test('revisions are those of git along first parents', async (t) => {
  const folder = folderWith(t, {});
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...words], {
      cwd: folder,
      stdio: 'ignore',
    });
  git('init', '-q', '-b', 'main');
  for (const subject of ['one', 'two', 'three', 'four']) git('commit', '-q', '--allow-empty', '-m', subject);
  const list = ends(folder, 'main~3', 'main', overPlugin, 'make {item}');
  assert.deepEqual(
    (await names(list)).map((name) => name.split(' ')[1]),
    ['one', 'two', 'three', 'four'],
  );
  await assert.rejects(ends(folder, 'v9', 'main', overPlugin, 'make {item}'), refused('bisect-no-revisions'));
  await assert.rejects(ends(folder, 'main', 'main', overPlugin, 'make {item}'), refused('bisect-one-item'));
});

test('settings are the differences of two environments, or of two YAML files; values that may be secrets are not shown', async (t) => {
  const folder = folderWith(t, {
    'good.env': 'NCCL_ALGO=Tree\nSHLVL=1\nNCCL_NTHREADS=256\nAPI=one\n# a comment\n',
    'bad.env': 'NCCL_ALGO=Ring\nSHLVL=2\nAPI=two\nexport UCX_TLS=tcp\n',
    'good.yaml': 'algo: ring\nNCCL_DEBUG: WARN\n',
    'bad.yaml': 'algo: tree\nNCCL_DEBUG: WARN\nwarmup: 5\n',
  });
  assert.deepEqual(await names(ends(folder, 'good.env', 'bad.env', plain)), [
    'good.env',
    'API',
    'NCCL_ALGO=Ring (was Tree)',
    'NCCL_NTHREADS removed',
    'UCX_TLS=tcp (was not set)',
  ]);
  assert.deepEqual(await names(ends(folder, 'good.yaml', 'bad.yaml', plain)), [
    'good.yaml',
    'algo=tree (was ring)',
    'warmup=5 (was not set)',
  ]);
  const typed = ends(folder, 'good.yaml', 'bad.yaml', ['allreduce', '--algo', 'ring']);
  await assert.rejects(typed, refused('bisect-setting-typed'));
});

test('ends that lead nowhere are refused', async (t) => {
  const folder = folderWith(t, { 'a/1.so': '', 'a/2.so': '', 'b/2.so': '', 'text.txt': 'hello' });
  await assert.rejects(ends(folder, 'a/1.so', 'a/9.so'), refused('bisect-end-missing'));
  await assert.rejects(ends(folder, 'a/1.so', 'b/2.so'), refused('bisect-two-folders'));
  await assert.rejects(ends(folder, 'a/1.so', 'a/1.so'), refused('bisect-one-item'));
  await assert.rejects(ends(folder, 'a', 'b', plain), refused('bisect-without-item'));
  await assert.rejects(ends(folder, 'text.txt', 'text.txt', plain), refused('bisect-not-settings'));
  await assert.rejects(ends(folder, 'a', 'b', plain, 'make {item}'), refused('bisect-build-without-item'));
});
