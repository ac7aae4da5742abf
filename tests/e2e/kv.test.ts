import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { type CellRecord, derivedOf, measuredOf, type OkCell, sideOf } from '../../results/schema/index.ts';
import { run, withFolder } from './harness.ts';
import { fake, fakeNvshmem, withoutFakes } from './support/fakes.ts';
import { withoutMpi } from './support/mpi.ts';

const cellsOf = (stdout: string): OkCell[] =>
  stdout
    .trim()
    .split('\n')
    .map((line): CellRecord => JSON.parse(line))
    .filter((cell): cell is OkCell => cell.workload === 'kv' && cell.status === 'ok');

const brief = ['--launches', '1', '--iters', '4', '--json'];
const every = ['--layout', 'all', '--transfer', 'all', '--schedule', 'all'];

test('every layout, transfer and schedule moves every page over each transport, with the time to the first page', () =>
  withFolder(async (folder) => {
    const words = ['kv', '3x4x16', '--tokens', '40', '--transport', 'shm,socket,sisci,ibgda', ...every];
    const ended = await run([...words, ...brief], { cwd: folder });
    assert.equal(ended.code, 0, ended.stderr);
    const cells = cellsOf(ended.stdout);
    assert.equal(cells.length, 3 * 2 * 2 * 4);
    for (const cell of cells) {
      assert.ok(cell.verification.checks > 0, cell.id);
      assert.equal(cell.verification.wrongElements, 0, cell.id);
      assert.notEqual(cell.evidence.verdict, 'contradicted', cell.evidence.reason);
      for (const name of ['firstPage', 'firstLayer'])
        assert.ok((sideOf(cell, name)?.value ?? 0) > 0, cell.id);
      for (const rate of ['bandwidth', 'rate']) assert.ok((derivedOf(cell, rate, 'latency')?.value ?? 0) > 0);
    }
  }));

test('sides of different size share the heads, and the report says how near the layouts come to one descriptor', () =>
  withFolder(async (folder) => {
    const words = ['kv', '2x4x16', '--tokens', '32', '--ranks', '3', '--tp', '2:1', '--transport', 'shm'];
    const ended = await run([...words, '--launches', '2', '--iters', '4', '--out', 'here'], { cwd: folder });
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(ended.stdout, /layout layer [\s\S]* of\s+the\s+bandwidth\s+of\s+layout\s+contiguous/);
    const page = readFileSync(path.join(folder, 'here', 'report.html'), 'utf8');
    assert.match(page, /How near to the bound\?/);
    assert.match(page, /Share of the bound/);
  }));

for (const [engine, ...more] of [['nccl', '--nccl', fake('nccl')], ['nvshmem']] as const)
  test(
    `GPUs of ${engine}: every page arrives, by the host's clock, without a time of the first page`,
    {
      skip: withoutFakes,
    },
    () =>
      withFolder(async (folder) => {
        const env = fakeNvshmem(folder, 3);
        const words = ['kv', '3x4x16', '--tokens', '40', '--engine', engine, ...more, ...every];
        const ended = await run([...words, '--ranks', '3', '--tp', '1:2', ...brief], { cwd: folder, env });
        assert.equal(ended.code, 0, ended.stderr);
        const cells = cellsOf(ended.stdout);
        assert.equal(cells.length, 3 * 2 * 2);
        for (const cell of cells) {
          assert.ok(cell.verification.checks > 0, cell.id);
          assert.equal(cell.verification.wrongElements, 0, cell.id);
          assert.equal(measuredOf(cell, 'latency')?.method.clock, 'CLOCK_MONOTONIC', cell.id);
          assert.equal(sideOf(cell, 'firstPage'), null, cell.id);
        }
      }),
  );

test(
  'more descriptors than a kernel of nvshmem takes, from several ranks to several',
  { skip: withoutFakes },
  () =>
    withFolder(async (folder) => {
      const words = [
        'kv',
        '9x8x16',
        '--tokens',
        '200',
        '--engine',
        'nvshmem',
        '--ranks',
        '4',
        '--layout',
        'layer',
      ];
      const ended = await run([...words, ...brief], { cwd: folder, env: fakeNvshmem(folder, 4) });
      assert.equal(ended.code, 0, ended.stderr);
      assert.ok(cellsOf(ended.stdout).every(({ verification }) => verification.wrongElements === 0));
    }),
);

test(
  'pages that NCCL does not deliver are wrong data: exit 3, with the rank and the page',
  { skip: withoutFakes },
  () =>
    withFolder(async (folder) => {
      const env = { ...fakeNvshmem(folder, 2), NCCL_FAKE_FAULT: 'drop:1' };
      const words = [
        'kv',
        '2x4x16',
        '--tokens',
        '64',
        '--engine',
        'nccl',
        '--nccl',
        fake('nccl'),
        '--ranks',
        '2',
      ];
      const ended = await run([...words, ...brief], { cwd: folder, env });
      assert.equal(ended.code, 3, ended.stderr);
      assert.match(ended.stderr, /rank 1[\s\S]*page \d of rank 0, layer \d keys, head 0: nothing arrived/);
    }),
);

test('messages of MPI: every page arrives, with the time to the first page', { skip: withoutMpi }, () =>
  withFolder(async (folder) => {
    const words = ['kv', '9x4x16', '--tokens', '2000', '--engine', 'mpi', '--transport', 'shm', ...every];
    const ended = await run([...words, ...brief], { cwd: folder });
    assert.equal(ended.code, 0, ended.stderr);
    const cells = cellsOf(ended.stdout);
    assert.equal(cells.length, 3 * 2 * 2);
    for (const cell of cells) {
      assert.equal(cell.verification.wrongElements, 0, cell.id);
      const [page, whole] = [sideOf(cell, 'firstPage')?.value ?? 0, measuredOf(cell, 'latency')?.value ?? 0];
      assert.ok(page > 0, cell.id);
      assert.ok(whole > 0, cell.id);
    }
  }),
);

test('a wrong bit is wrong data: exit 3, with the rank and the page', () =>
  withFolder(async (folder) => {
    // Pages are large enough for messages by DMA, which the fault affects.
    const faulty = ['--transport', 'sisci', '--fault', 'bit-flip', '--no-path-proof'];
    const words = ['kv', '2x4x128', '--tokens', '256', '--page-tokens', '128', '--layout', 'page', ...faulty];
    const ended = await run([...words, ...brief], { cwd: folder });
    assert.equal(ended.code, 3, ended.stderr);
    const wrong = cellsOf(ended.stdout).filter(({ verification }) => verification.wrongElements > 0);
    assert.ok(wrong.length > 0);
    assert.ok(wrong.every((cell) => measuredOf(cell, 'latency') !== null));
    assert.match(JSON.stringify(wrong), /page \d of rank 0, layer \d (keys|values), head \d/);
  }));

test('two swapped pages are wrong data: exit 3, with the rank, the page and the one that is in its place', () =>
  withFolder(async (folder) => {
    // All pages are in one message, whose halves arrive exchanged: every byte is there.
    const faulty = ['--transport', 'sisci', '--fault', 'swapped-halves', '--no-path-proof'];
    const words = [
      'kv',
      '1x1x4096',
      '--tokens',
      '64',
      '--page-tokens',
      '16',
      '--layout',
      'contiguous',
      ...faulty,
    ];
    const ended = await run([...words, ...brief], { cwd: folder });
    assert.equal(ended.code, 3, ended.stderr);
    assert.match(ended.stderr, /rank 1[\s\S]*page \d of rank 0, layer 0 keys, head 0: page \d is there/);
  }));

test('a rank alone, heads that do not divide, and more pages than memory are refused with what works', () =>
  withFolder(async (folder) => {
    const refused = async (...words: string[]) => {
      const ended = await run(['kv', ...words, '--plan-only'], { cwd: folder });
      assert.notEqual(ended.code, 0);
      return ended.stderr;
    };
    assert.match(await refused('--ranks', '1'), /kv needs 2 ranks or more, not 1\nNext: .*--ranks 2/);
    assert.match(await refused('4x3x64', '--ranks', '4'), /3 KV heads, which 2 prefill ranks cannot share/);
    assert.match(await refused('llama-3.1-70b', '--tokens', '8000000'), /memory/);
  }));
