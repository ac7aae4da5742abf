import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CellRecord, type OkCell, sideOf } from '../../results/schema/index.ts';
import { run, withFolder } from './harness.ts';

const cellsOf = (stdout: string): OkCell[] =>
  stdout
    .trim()
    .split('\n')
    .map((line): CellRecord => JSON.parse(line))
    .filter((cell): cell is OkCell => cell.workload === 'controlpath' && cell.status === 'ok');

const emulated = ['--medium', 'emulated', '--launches', '1', '--json'];
const counted = (cell: OkCell) =>
  ['doorbells', 'entries', 'launches'].map((name) => sideOf(cell, name)?.value);

test('every path is verified and emulated; doorbells, entries and launches are exact', async () => {
  await withFolder(async (folder) => {
    const words = [
      'controlpath',
      '--sizes',
      '8,4K',
      '--puts',
      '32',
      '--per-doorbell',
      '1,32',
      '--iters',
      '10',
      ...emulated,
    ];
    const ended = await run(words, { cwd: folder });
    assert.equal(ended.code, 0, ended.stderr);
    const cells = cellsOf(ended.stdout);
    assert.equal(cells.length, 5 * 2 * 2);
    for (const cell of cells) {
      const { path, batch } = cell.axes;
      assert.equal(cell.medium, 'emulated');
      assert.ok(cell.verification.checks > 0, cell.id);
      assert.equal(cell.verification.wrongElements, 0, cell.id);
      const launches = path === 'host' || path === 'stream' ? 2 : 1;
      assert.deepEqual(counted(cell), [32 / Number(batch), 32, launches], cell.id);
      const doorbells = 32 / Number(batch);
      assert.deepEqual(sideOf(cell, 'doorbells')?.range, { low: doorbells, high: doorbells }, cell.id);
      const { used, of } = sideOf(cell, 'total')?.operations ?? { used: 0, of: 0 };
      assert.ok(of >= 10 && used === of - 2 * Math.floor(of / 4), `${used} of ${of}`);
    }
    const { sentences } = JSON.parse(ended.stdout.trim().split('\n').at(-1) ?? '{}');
    const text = String(sentences?.join('\n'));
    assert.match(text, /counts are exact and hardware-independent/);
    assert.match(text, /kernel, 1 to 32 puts per doorbell: doorbells 32 to 1/);
    assert.match(text, /order at 8 B/);
  });
});

test('a flipped bit is wrong data: exit 3', async () => {
  await withFolder(async (folder) => {
    const words = [
      'controlpath',
      '--path',
      'kernel',
      '--sizes',
      '4K',
      '--fault',
      'bit-flip',
      '--iters',
      '10',
      ...emulated,
    ];
    assert.equal((await run(words, { cwd: folder })).code, 3);
  });
});

test('over a transport without such queues, and with three ranks: refused before anything starts', async () => {
  await withFolder(async (folder) => {
    const over = await run(['controlpath', '--transport', 'socket'], { cwd: folder });
    assert.equal(over.code, 1);
    assert.match(over.stderr, /controlpath cannot run over socket: it has no queues/);
    assert.match(over.stderr, /--transport ibgda/);
    const three = await run(['controlpath', '--ranks', '3'], { cwd: folder });
    assert.equal(three.code, 1);
    assert.match(three.stderr, /needs a pair of ranks, not 3/);
    assert.match(three.stderr, /--ranks 2/);
  });
});

for (const fault of [
  'qp-error:after=5',
  'port-down:after-bytes=4096',
  'lost-doorbell:every=50',
  'stuck-cq:after=50',
])
  test(`${fault}: exit 2 with the rank named, and no hang`, async () => {
    await withFolder(async (folder) => {
      const words = [
        'controlpath',
        '--path',
        'kernel',
        '--sizes',
        '8,4K',
        '--timeout',
        '3',
        '--fault',
        fault,
      ];
      const ended = await run([...words, ...emulated, '--iters', '100'], { cwd: folder });
      assert.equal(ended.code, 2, ended.stderr);
      assert.match(ended.stderr, /rank [01]/);
    });
  });
