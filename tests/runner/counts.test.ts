// test: core
// Continuous integration runs two test commands one after the other; the second prints the counts of both.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { packageRoot } from '../../results/package.ts';

const run = (...args: string[]) =>
  spawnSync(process.execPath, ['tests/all.mjs', ...args], { cwd: packageRoot, encoding: 'utf8' });
const lastLines = (text: string) => text.match(/^\d+ passed, \d+ failed.*$/gm);

async function fileOfCounts(t: TestContext) {
  const folder = await mkdtemp(path.join(tmpdir(), 'collbench-counts-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return path.join(folder, 'counts');
}

test('counts that the first command left are in the last line of the second', async (t) => {
  const file = await fileOfCounts(t);
  const first = run('joined', '--into', file);
  assert.equal(first.status, 0, first.stdout + first.stderr);
  assert.equal(lastLines(first.stdout), null);
  const second = run('joined', '--add', file);
  assert.equal(second.status, 0, second.stdout + second.stderr);
  assert.deepEqual(lastLines(second.stdout), ['2 passed, 0 failed']);
});

test('a first command that ended before it had counts is a failure', async (t) => {
  const second = run('joined', '--add', await fileOfCounts(t));
  assert.equal(second.status, 1);
  assert.deepEqual(lastLines(second.stdout), ['1 passed, 1 failed']);
});
