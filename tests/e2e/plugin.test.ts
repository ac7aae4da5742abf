// test: up to 90 s
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { root, run, skipUnless, withFolder } from './harness.ts';

// Whole runs over a test plugin that imitates no product, and its faults (native/transports/plugin/fake/README.md).

const plugin = path.join(root, 'build', 'native', 'fake', 'libnccl-net-foreign.so');
const skip = skipUnless(existsSync(plugin), 'no fakes: node tests/all.mjs native builds it');

/** Runs an allreduce of 8 B and 1 MiB over the test plugin. @param fault fault of the plugin; empty = none */
const over = (folder: string, fault: string, words: string[] = [], file = plugin, env = {}) =>
  run(
    [
      'allreduce',
      '--sizes',
      '8,1M',
      '--launches',
      '1',
      '--iters',
      '5',
      '--transport',
      `plugin:${file}`,
      ...words,
    ],
    { cwd: folder, env: { FI_FIXTURE: fault, ...env } },
  );

type PluginLine = {
  type?: string;
  medium?: string;
  exitCode?: number;
  evidence?: { verdict: string; reason: string };
  failures?: { message: string; details: string[] }[];
};
const linesOf = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as PluginLine);

for (const ranks of ['2', '3']) {
  test(`${ranks} ranks over a foreign plugin: verified, its medium unknown, confirmed by lo`, { skip }, () =>
    withFolder(async (folder) => {
      const ended = await over(folder, '', ['--ranks', ranks, '--json']);
      assert.equal(ended.code, 0, ended.stderr);
      const cells = linesOf(ended.stdout).filter(({ type }) => type === 'cell');
      assert.equal(cells.length, 2);
      assert.ok(cells.every(({ medium }) => medium === 'unknown'));
      assert.equal(cells[1]?.evidence?.verdict, 'confirmed', cells[1]?.evidence?.reason);
    }),
  );
}

for (const [way, what] of [
  ['offer-first', 'its first message is taken once the other end has offered one'],
  ['needs-receive', 'isend gives no request before the receiver has posted'],
  ['done-when-taken', 'a send is done once the receiver has it'],
  ['tests-in-order', 'test takes the oldest request of a connection alone'],
] as const) {
  test(`${way}: ${what}, and no rank waits for another's turn`, { skip }, () =>
    withFolder(async (folder) => {
      const ended = await over(folder, way, [
        '--ranks',
        '3',
        '--algo',
        'ring,recursive-doubling,double-binary-tree',
      ]);
      assert.equal(ended.code, 0, ended.stderr);
      assert.match(ended.stdout, /^verified: \d+ checks, 0 wrong/m);
    }),
  );
}

for (const [fault, says] of [
  [
    'init-fails',
    /init failed with ncclSystemError[\s\S]*the fabric 'none' is not there[\s\S]*a line of its own/,
  ],
  ['init-crashes', /killed by SIGSEGV[\s\S]*stack: crash_of_the_fixture[\s\S]*about to use a null pointer/],
  ['init-crashes-caught', /killed by SIGSEGV[\s\S]*stack: crash_of_the_fixture[\s\S]*about to use/],
  ['init-exits', /exited with code 7[\s\S]*foreign plugin starts/],
  ['gpu-only', /takes no host memory/],
] as const) {
  test(`${fault}: it cannot run, with the reason, the last words and a summary for scripts`, { skip }, () =>
    withFolder(async (folder) => {
      const ended = await over(folder, fault, ['--json']);
      assert.equal(ended.code, 2);
      assert.match(ended.stderr, says);
      const [summary, ...more] = linesOf(ended.stdout);
      assert.deepEqual(more, []);
      assert.equal(summary?.type, 'summary');
      assert.equal(summary?.exitCode, 2);
      assert.match(
        [summary?.failures?.[0]?.message, ...(summary?.failures?.[0]?.details ?? [])].join('\n'),
        says,
      );
    }),
  );
}

for (const [fault, says] of [
  ['close-crashes', /killed by SIGSEGV while closing its connections.*crash_of_the_fixture/],
  ['close-hangs', /did not end within 3 s while closing its connections.*hang_of_the_fixture/],
  ['close-fails', /closeSend failed with ncclSystemError/],
  ['dereg-fails', /deregMr failed with ncclInternalError/],
  ['floods', /flood 0[\s\S]*left out[\s\S]* more warnings like those above: .*session\.log/],
] as const) {
  test(`${fault}: all is measured, and the fault is told`, { skip }, () =>
    withFolder(async (folder) => {
      const ended = await over(folder, fault);
      assert.equal(ended.code, 0, ended.stderr);
      assert.match(ended.stdout, /^verified: \d+ checks, 0 wrong · /m);
      assert.match(ended.stderr.replaceAll(/\n\s+/g, ' '), says);
    }),
  );
}

test('over softmlx5 its medium is emulated, and the evidence is the count of the card', { skip }, () =>
  withFolder(async (folder) => {
    const card = { LD_LIBRARY_PATH: path.join(root, 'build', 'native', 'softmlx5', 'lookalikes') };
    const ended = await over(folder, 'opens-verbs', ['--json'], plugin, card);
    const cells = linesOf(ended.stdout).filter(({ type }) => type === 'cell');
    assert.equal(cells.length, 2, ended.stderr);
    for (const { medium, evidence } of cells) {
      assert.equal(medium, 'emulated');
      assert.equal(evidence?.verdict, 'contradicted');
      assert.match(evidence?.reason ?? '', /counted 0 B sent and 0 B received/);
    }
    const refused = await over(folder, 'opens-verbs', ['--medium', 'hardware'], plugin, card);
    assert.equal(refused.code, 2, refused.stderr);
  }),
);

test('what a plugin prints is no message of the agent', { skip }, () =>
  withFolder(async (folder) => {
    const ended = await over(folder, 'prints', ['--json']);
    assert.equal(ended.code, 0, ended.stderr);
    assert.equal(linesOf(ended.stdout).length, 3);
  }),
);

for (const words of [
  ['allreduce', '--algo', 'ring,recursive-doubling,double-binary-tree', '--ranks', '3'],
  ['alltoallv', '--ranks', '3'],
  ['put', '--window', '1,4'],
])
  test(`no message is longer than maxP2pBytes: ${words.join(' ')}`, { skip }, () =>
    withFolder(async (folder) => {
      const sampling = ['--launches', '1', '--iters', '5', '--sizes', '8,5000,1M', '--check', 'all'];
      const transport = ['--transport', `plugin:${plugin}`];
      const env = { FI_FIXTURE: 'small-messages' };
      const ended = await run([...words, ...sampling, ...transport], { cwd: folder, env });
      assert.equal(ended.code, 0, ended.stderr);
      assert.match(ended.stdout, /^verified: [\d,]+ checks, 0 wrong/m);
    }),
  );

test('limits of its device are kept or refused; a wrong byte and a wrong size are found', { skip }, () =>
  withFolder(async (folder) => {
    assert.equal((await over(folder, 'one-comm')).code, 0);
    const full = await over(folder, 'one-comm', ['--ranks', '3']);
    assert.equal(full.code, 2);
    assert.match(
      full.stderr,
      /3 ranks need 2 connections each way, its device foreign0 has 1 \(maxComms\)[\s\S]*Next: collbench allreduce .*--ranks 2$/m,
    );
    assert.equal((await over(folder, 'flips')).code, 3);
    assert.equal((await over(folder, 'wrong-sizes')).code, 2);
  }),
);

test('another file in its place is another plugin: resume refuses it', { skip }, () =>
  withFolder(async (folder) => {
    const file = path.join(folder, 'libnccl-net-x.so');
    await copyFile(plugin, file);
    const broken = await over(folder, 'test-fails', ['--out', 'run'], file);
    assert.equal(broken.code, 2);
    await copyFile(path.join(root, 'build', 'native', 'libnccl-net-sisci.so'), file);
    const again = await run(['resume', 'run'], { cwd: folder, env: { FI_FIXTURE: 'test-fails' } });
    assert.equal(again.code, 2);
    assert.match(again.stderr, /libnccl-net-x\.so sha256 was [0-9a-f]{64}, is [0-9a-f]{64}/);
  }),
);

test('plugin check: our own plugin passes, with what its calls cost and a verdict', async () => {
  const own = path.join(root, 'build', 'native', 'libnccl-net-sisci.so');
  const ended = await run(['plugin', 'check', own]);
  assert.equal(ended.code, 0, ended.stdout);
  assert.match(ended.stdout, /cost {7}a message of 8 B\n.*isend .* irecv /);
  assert.match(ended.stdout, /(\d+) tests of .*: \1 passed, 0 failed\nverdict: it does what NCCL expects/);
  assert.match(ended.stdout, /^Next: collbench allreduce --transport plugin:\/.*\/libnccl-net-sisci\.so$/m);
});

test('plugin check: a fault decides the verdict; one that cannot be used says why', { skip }, async () => {
  const broken = await run(['plugin', 'check', plugin], { env: { FI_FIXTURE: 'dereg-fails' } });
  assert.equal(broken.code, 2);
  assert.match(broken.stdout, /deregMr failed with\s+ncclInternalError/);
  assert.match(broken.stdout, /^verdict: NCCL may fail with it \(connect, close\): accept does not wait/m);
  const crashed = await run(['plugin', 'check', plugin], { env: { FI_FIXTURE: 'init-crashes' } });
  assert.equal(crashed.code, 2);
  assert.match(
    crashed.stdout.replaceAll(/\n\s+/g, ' '),
    /^verdict: it cannot be used: killed by signal 11 \(Segmentation fault\); its last words: .*about to use a null/m,
  );
  assert.match(crashed.stdout, /^- \d+ tests skipped, which need one that failed: can be loaded/m);
  const unusable = await run(['plugin', 'check', '/nowhere/x.so', '--json']);
  assert.equal(unusable.code, 2);
  const summary = linesOf(unusable.stdout).at(-1) as { type: string; verdict?: string };
  assert.equal(summary.type, 'summary');
  assert.match(summary.verdict ?? '', /^verdict: it cannot be used: .*\/nowhere\/x\.so/);
});

test('plugin check wants one file', async () => {
  const ended = await run(['plugin', 'check']);
  assert.equal(ended.code, 1);
  assert.match(ended.stderr, /plugin check takes one file/);
});
