// test: up to 60 s
// Collectives with concurrent loads: the real command, on two ranks and on four, over TCP and the software adapter.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { type CellRecord, loadNames, type OkCell } from '../../results/schema/index.ts';
import { run, start, survivors, withFolder } from './harness.ts';
import { fake, fakeGpus, withoutFakes } from './support/fakes.ts';

const cellsOf = (text: string): OkCell[] =>
  text
    .trim()
    .split('\n')
    .map((line): CellRecord => JSON.parse(line))
    .filter((cell): cell is OkCell => 'id' in cell && cell.status === 'ok');

const brief = ['--launches', '2', '--iters', '20'];

for (const ranks of ['2', '4'])
  test(`each load is a series beside the quiet one, verified, with what both cost: ${ranks} ranks`, async () => {
    await withFolder(async (folder) => {
      const words = ['allreduce', '--sizes', '1M', '--transport', 'socket,sisci', '--ranks', ranks];
      const loads = ['--beside', `none,${loadNames.join(',')}`, '--out', 'run'];
      const ended = await run([...words, ...loads, ...brief, '--verbose'], {
        cwd: folder,
        env: { COLUMNS: '80' },
      });
      assert.equal(ended.code, 0, ended.stderr);
      assert.ok(ended.stdout.split('\n').every((line) => line.length <= 80));
      const cells = cellsOf(await readFile(path.join(folder, 'run', 'cells.ndjson'), 'utf8'));
      assert.equal(cells.length, 2 * (1 + loadNames.length));
      for (const cell of cells) {
        assert.equal(cell.verification.wrongElements, 0);
        assert.ok(cell.verification.checks > 0);
        assert.notEqual(cell.evidence.verdict, 'contradicted', cell.evidence.reason);
        const word = cell.requested.beside;
        assert.equal(cell.beside?.word, word ?? null);
        assert.ok((cell.beside?.trials.length ?? 0) === 2);
        for (const { meanNs, load } of cell.beside?.trials ?? []) {
          assert.ok(meanNs.every((ns) => ns > 0));
          if (word === undefined) assert.equal(load, null);
          else assert.ok(load === null || load.alone > 0);
        }
        if (word !== undefined) assert.ok((cell.beside?.workers ?? 0) >= Number(ranks));
      }
      for (const load of loadNames) {
        assert.match(ended.stdout, new RegExp(`sisci@${load} +EMULATED`));
        assert.match(
          ended.stdout.replaceAll(/\s+/g, ' '),
          new RegExp(`socket@${load} at 1 MiB, beside [a-z ]+\\(`),
        );
      }
      const report = await readFile(path.join(folder, 'run', 'report.html'), 'utf8');
      assert.match(report, /Beside a load/);
    });
  });

test('ranks as threads and other workloads have loads, too', async () => {
  await withFolder(async (folder) => {
    for (const words of [
      ['allreduce', '--sizes', '64K', '--in-process'],
      ['exchange', '--sizes', '64K'],
      ['stencil', '--grid', '128', '--part', 'iteration'],
    ]) {
      const ended = await run([...words, '--beside', 'copy,traffic', ...brief, '--json'], { cwd: folder });
      assert.equal(ended.code, 0, ended.stderr);
      const cells = cellsOf(ended.stdout);
      assert.deepEqual(cells.map(({ requested }) => requested.beside ?? 'none').sort(), [
        'copy',
        'none',
        'traffic',
      ]);
    }
  });
});

test('more threads than the cores of a rank are refused before anything starts', async () => {
  await withFolder(async (folder) => {
    const ended = await run(['allreduce', '--sizes', '1K', '--beside', 'compute:4096'], { cwd: folder });
    assert.equal(ended.code, 2);
    assert.match(ended.stderr, /--beside compute:4096: \S+ has \d+ cores for 2 ranks/);
    assert.match(ended.stderr, /Next: .*--beside compute:\d+/);
  });
});

test('interrupted beside a load: what was measured is kept, and nothing goes on working', async () => {
  await withFolder(async (folder) => {
    const words = ['allreduce', '--sizes', '1M', '--beside', loadNames.join(','), '--budget', '1h'];
    const started = start([...words, '--precision', '0.1%', '--out', 'run'], { cwd: folder });
    const blocks = path.join(folder, 'run', 'samples', 'blocks.ndjson');
    while (!(await readFile(blocks, 'utf8').catch(() => '')).includes('"beside"')) await setTimeout(50);
    started.child.kill('SIGINT');
    const ended = await started.ended;
    assert.equal(ended.code, 130, ended.stderr);
    assert.deepEqual(await survivors(started.marker), []);
  });
});

test('on GPUs kernels and copies work in streams of their own, on fakes', {
  skip: withoutFakes,
}, async () => {
  await withFolder(async (folder) => {
    const asked = ['--transport', 'p2p', '--ranks', '2', '--sizes', '64K', '--launches', '1', '--iters', '2'];
    for (const engine of [['nccl', '--nccl', fake('nccl'), '--cache', 'hot'], ['cuda']]) {
      const words = ['allreduce', '--engine', ...engine, ...asked];
      const loads = ['--beside', 'compute:1,copy:2', '--json'];
      const ended = await run([...words, ...loads], { cwd: folder, env: fakeGpus(2) });
      assert.equal(ended.code, 0, ended.stderr);
      const cells = cellsOf(ended.stdout);
      const seen = cells.map(({ beside }) => `${beside?.word} ${beside?.workers}`);
      assert.deepEqual(seen.sort(), ['compute:1 2', 'copy:2 4', 'null 0']);
      for (const cell of cells) assert.equal(cell.verification.wrongElements, 0);
      const refused = await run([...words, '--beside', 'copy:3'], { cwd: folder, env: fakeGpus(2) });
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, /--beside copy:3: 1 to 2 are allowed on this GPU/);
    }
  });
});
