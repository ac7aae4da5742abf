import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CellRecord, derivedOf, measuredOf, type OkCell } from '../../results/schema/index.ts';
import { run, withFolder } from './harness.ts';
import { fake, fakeGpus, withoutFakes } from './support/fakes.ts';

const cellsOf = (stdout: string): OkCell[] =>
  stdout
    .trim()
    .split('\n')
    .map((line): CellRecord => JSON.parse(line))
    .filter((cell): cell is OkCell => cell.workload === 'stencil' && cell.status === 'ok');

const brief = ['--launches', '1', '--iters', '4', '--json'];

test('a grid that seven ranks share is the one that one rank computes, in both types and both ways to scale', async () => {
  await withFolder(async (folder) => {
    const words = ['stencil', '--grid', '7,50,600', '--scaling', 'strong,weak', '--dtype', 'all'];
    const ended = await run([...words, '--part', 'iteration,halo,update', '--ranks', '7', ...brief], {
      cwd: folder,
    });
    assert.equal(ended.code, 0, ended.stderr);
    const cells = cellsOf(ended.stdout);
    assert.equal(cells.length, 3 * 2 * 2 * 3);
    for (const cell of cells) {
      assert.ok(cell.verification.checks >= 7, cell.id);
      assert.equal(cell.verification.wrongElements, 0);
      assert.notEqual(cell.evidence.verdict, 'contradicted', cell.evidence.reason);
      const rate = cell.axes.part === 'halo' ? 'exchanged' : 'updates';
      assert.ok((derivedOf(cell, rate, 'pipelined')?.value ?? 0) > 0);
    }
  });
});

test('a wrong bit in a halo is wrong data: exit 3, with the point and the rank that it came from', async () => {
  await withFolder(async (folder) => {
    // The grid is large enough for messages by DMA, which the fault affects.
    const faulty = ['--transport', 'sisci', '--fault', 'bit-flip', '--no-path-proof'];
    const ended = await run(['stencil', '--grid', '4096', '--ranks', '2', ...faulty, ...brief], {
      cwd: folder,
    });
    assert.equal(ended.code, 3, ended.stderr);
    const wrong = cellsOf(ended.stdout).filter(({ verification }) => verification.wrongElements > 0);
    assert.ok(wrong.length > 0);
    assert.match(JSON.stringify(wrong), /point \(\d+, \d+\) of the halo from rank \d in the (west|east)/);
  });
});

test('on GPUs both control paths compute the same: queued in the stream, and with a host that waits', {
  skip: withoutFakes,
}, async () => {
  await withFolder(async (folder) => {
    const words = [
      'stencil',
      '--engine',
      'nccl',
      '--nccl',
      fake('nccl'),
      '--transport',
      'p2p',
      '--ranks',
      '4',
    ];
    const asked = ['--grid', '9,600', '--path', 'all', '--part', 'all', '--dtype', 'all'];
    const ended = await run([...words, ...asked, ...brief], { cwd: folder, env: fakeGpus(4) });
    assert.equal(ended.code, 0, ended.stderr);
    const cells = cellsOf(ended.stdout);
    assert.equal(cells.length, 2 * 2 * 3 * 2);
    for (const cell of cells) {
      assert.ok(cell.verification.checks >= 4, cell.id);
      assert.equal(cell.verification.wrongElements, 0);
      const waits = cell.axes.path === 'host' && cell.axes.part !== 'update';
      assert.equal(measuredOf(cell, 'latency')?.method.sync, waits ? 'window' : 'hold', cell.id);
    }
  });
});

test('over the queues of an adapter five control paths, and a rank without a device, compute the same', async () => {
  await withFolder(async (folder) => {
    const words = ['stencil', '--transport', 'ibgda', '--path', 'all,rank', '--ranks', '4'];
    const ended = await run([...words, '--grid', '9,600', '--part', 'all', ...brief], { cwd: folder });
    assert.equal(ended.code, 0, ended.stderr);
    const cells = cellsOf(ended.stdout);
    assert.equal(cells.length, 2 * 3 * 6);
    for (const cell of cells) {
      assert.ok(cell.verification.checks >= 4, cell.id);
      assert.equal(cell.verification.wrongElements, 0);
      assert.notEqual(cell.evidence.verdict, 'contradicted', cell.evidence.reason);
    }
  });
});

test('grids that are too small, and words that are not understood', async () => {
  await withFolder(async (folder) => {
    const small = await run(['stencil', '--grid', '1,64', '--ranks', '2', '--plan-only'], { cwd: folder });
    assert.equal(small.code, 0, small.stderr);
    assert.match(small.stdout, /skipped +2: a grid of 1 x 1 points is too small for 2 x 1 ranks/);
    const range = await run(['stencil', '--grid', '64..8'], { cwd: folder });
    assert.equal(range.code, 1);
    assert.match(range.stderr, /'64\.\.8' is no range/);
    const type = await run(['stencil', '--dtype', 'int8'], { cwd: folder });
    assert.equal(type.code, 1);
    assert.match(type.stderr, /int8/);
    const path = await run(['stencil', '--path', 'stream'], { cwd: folder });
    assert.equal(path.code, 1);
    assert.match(path.stderr, /--path stream: not over socket\n +allowed: host, rank over socket; .*ibgda/);
  });
});
