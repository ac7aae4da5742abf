import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { type CellRecord, derivedOf, measuredOf, type OkCell, sideOf } from '../../results/schema/index.ts';
import { run, withFolder } from './harness.ts';

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
