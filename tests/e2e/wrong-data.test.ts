import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CellRecord, OkCell } from '../../results/schema/index.ts';
import { run, withFolder } from './harness.ts';

const small = [
  'allreduce',
  '--sizes',
  '1M',
  '--transport',
  'sisci',
  '--launches',
  '1',
  '--iters',
  '3',
  '--check',
  '1',
];
const cellsOf = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as CellRecord) as OkCell[];

test('without an IOMMU the path proof catches the silent DMA and takes the path that works', async () => {
  await withFolder(async (folder) => {
    const ended = await run([...small, '--fault', 'no-iommu', '--json'], { cwd: folder });
    assert.equal(ended.code, 0, ended.stderr);
    assert.equal(cellsOf(ended.stdout)[0]?.verification.wrongElements, 0);
    assert.match(ended.stderr, /IOMMU|registered memory/i, 'said in one clear line');
  });
});

test('with the proof switched off the verification catches it: exit 3, how many, where first, wanted and got', async () => {
  await withFolder(async (folder) => {
    const ended = await run([...small, '--fault', 'no-iommu', '--no-path-proof', '--json'], { cwd: folder });
    assert.equal(ended.code, 3, ended.stderr);
    const wrong = cellsOf(ended.stdout)[0]?.verification;
    assert.ok(wrong && wrong.wrongElements > 0);
    assert.ok(wrong.first && wrong.first.rank >= 0 && wrong.first.index >= 0);
    assert.notEqual(wrong.first.wanted, wrong.first.got);
    assert.match(ended.stderr, /wrong data: allreduce 1 MiB over sisci, rank \d+/);
    assert.match(ended.stderr, /index \d+, wanted \S+, got/);
  });
});

test('a flipped bit is found: exit 3', async () => {
  await withFolder(async (folder) => {
    const ended = await run([...small, '--fault', 'bit-flip', '--no-path-proof', '--json'], { cwd: folder });
    assert.equal(ended.code, 3, ended.stderr);
    assert.ok((cellsOf(ended.stdout)[0]?.verification.wrongElements ?? 0) > 0);
  });
});

test('--check all finds one flipped bit of one message of a pipelined batch: exit 3; the same without the fault is whole', async () => {
  await withFolder(async (folder) => {
    const batches = ['allreduce', '--sizes', '64K', '--transport', 'sisci', '--no-path-proof'];
    const fixed = ['--launches', '1', '--iters', '100', '--batch', '10', '--check', 'all', '--json'];
    const whole = await run([...batches, ...fixed], { cwd: folder });
    assert.equal(whole.code, 0, whole.stderr);
    const [sound] = cellsOf(whole.stdout);
    assert.equal(sound?.verification.share, 1, 'every operation of every batch and warm-up');
    // One of 331 messages is wrong: a rank sends hundreds in a run, and only one of ten operations ends a batch.
    const ended = await run([...batches, ...fixed, '--fault', 'bit-flip:every=331'], { cwd: folder });
    assert.equal(ended.code, 3, ended.stderr);
    const found = cellsOf(ended.stdout)[0]?.verification;
    assert.ok((found?.wrongElements ?? 0) > 0);
    assert.equal(found?.share, 1);
  });
});

test('a link that goes down ends the run: exit 2, nothing hangs', async () => {
  await withFolder(async (folder) => {
    const ended = await run([...small, '--fault', 'link-down:after-bytes=300000', '--timeout', '5'], {
      cwd: folder,
    });
    assert.equal(ended.code, 2, ended.stderr);
    assert.match(ended.stderr, /rank \d+/);
    assert.match(ended.stderr, /link/i);
  });
});
