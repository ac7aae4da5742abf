// test: core
// Unit tests share processes. A failure in one must be named and counted as if each file had its own process.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { packageRoot } from '../../results/package.ts';

const passes = `import { test } from 'node:test'; test('passes', () => {});`;

/** Writes test files with the given texts and runs them in shared processes. Returns the results and what was printed. */
async function runTogether(t: TestContext, texts: readonly string[]) {
  const folder = await mkdtemp(path.join(tmpdir(), 'collbench-together-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const files = await Promise.all(
    texts.map(async (text, i) => {
      const built = path.join(folder, `${i}.mjs`);
      await writeFile(built, text);
      return { file: `room/${i}.test.ts`, built, tier: 'unit', allowedS: 10 };
    }),
  );
  const script = `import { runFiles } from './tests/runner/node-tests.mjs';
    const results = await runFiles(${JSON.stringify(files)}, 1);
    console.log(JSON.stringify(results.map(({ name, passed, failed }) => ({ name, passed, failed }))));`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: packageRoot,
    encoding: 'utf8',
    // `node --test` sets this variable. With it the inner test runner would report to a parent that does not exist.
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
  });
  const lines = stdout.trimEnd().split('\n');
  const results = JSON.parse(lines.at(-1) ?? '') as { name: string; passed: number; failed: number }[];
  return { printed: lines.slice(0, -1).join('\n'), results };
}

test('files that pass are one process, and all their tests count', async (t) => {
  const { results } = await runTogether(t, [passes, passes]);
  assert.deepEqual(
    results.map(({ passed, failed }) => ({ passed, failed })),
    [{ passed: 2, failed: 0 }],
  );
});

test('a test that fails is named with its file, and counts once', async (t) => {
  const fails = `import { test } from 'node:test'; test('breaks', () => { throw new Error('no'); });`;
  const { printed, results } = await runTogether(t, [passes, fails]);
  assert.match(printed, /^FAILED +[\d.]+ s {2}room\/1\.test\.ts$/m);
  assert.deepEqual(results, [
    { name: 'room/0.test.ts', passed: 1, failed: 0 },
    { name: 'room/1.test.ts', passed: 0, failed: 1 },
  ]);
});

for (const [what, text] of [
  ['ends its process', 'process.exit(0);'],
  ['is killed', `process.kill(process.pid, 'SIGKILL');`],
  ['cannot be imported', `throw new Error('no');`],
])
  test(`a file that ${what} is a failure, and the others still run`, async (t) => {
    const { results } = await runTogether(t, [passes, text ?? '', passes]);
    assert.deepEqual(results, [
      { name: 'room/0.test.ts', passed: 1, failed: 0 },
      { name: 'room/1.test.ts', passed: 0, failed: 1 },
      { name: 'room/2.test.ts', passed: 1, failed: 0 },
    ]);
  });

test('files that fail only together are a failure', async (t) => {
  const disturbed = `import { test } from 'node:test'; import assert from 'node:assert';
    test('is undisturbed', () => assert.equal(globalThis.disturbed, undefined));`;
  const { results } = await runTogether(t, [`${passes} globalThis.disturbed = 1;`, disturbed]);
  assert.deepEqual(
    results.map(({ failed }) => failed),
    [0, 0, 1],
  );
});
