// test: core, up to 60 s
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import {
  allMeasuredFigures,
  type CellRecord,
  type OkCell,
  type RunRecord,
} from '../../results/schema/index.ts';
import { findOnlyRun, ndjson, root, run, start, survivors, withFolder } from './harness.ts';

test('the first command a newcomer types: measured, verified, emulation named everywhere', async () => {
  await withFolder(async (folder) => {
    const started = start(
      'allreduce --min 8 --max 4M --transport socket,sisci --launches 2 --precision off'.split(' '),
      { cwd: folder },
    );
    const ended = await started.ended;
    assert.equal(ended.code, 0, ended.stderr);
    const directory = await findOnlyRun(folder);
    const cells = await ndjson<CellRecord>(path.join(directory, 'cells.ndjson'));
    assert.equal(cells.length, 40, '20 sizes x 2 transports');
    for (const cell of cells as OkCell[]) {
      assert.equal(cell.status, 'ok');
      assert.ok(cell.verification.checks >= 2 * 2, `${cell.id} was verified on both ranks`);
      assert.equal(cell.verification.wrongElements, 0);
      assert.equal(cell.medium, cell.transport === 'sisci' ? 'emulated' : 'hardware');
      assert.ok(
        allMeasuredFigures(cell).length === 2 && allMeasuredFigures(cell).every(({ value }) => value > 0),
      );
    }
    const record = JSON.parse(await readFile(path.join(directory, 'run.json'), 'utf8')) as RunRecord;
    assert.equal(record.state, 'complete');
    assert.equal(record.exitCode, 0);

    assert.match(ended.stdout, /EMULATED/, 'table');
    assert.match(await readFile(path.join(directory, 'report.html'), 'utf8'), /emulated/i, 'report');
    const figures = (await readdir(path.join(directory, 'figures'))).filter(
      (name) => !name.startsWith('load-'), // Load figures have no transport, and so no medium.
    );
    const legends = figures.filter((name) => name.endsWith('.svg'));
    assert.ok(legends.length >= 3);
    for (const name of legends)
      assert.match(
        await readFile(path.join(directory, 'figures', name), 'utf8'),
        /emulated/,
        `legend of ${name}`,
      );
    for (const name of figures.filter((file) => file.endsWith('.csv'))) {
      const [head, ...lines] = (await readFile(path.join(directory, 'figures', name), 'utf8'))
        .trim()
        .split('\n');
      assert.match(head as string, /medium/);
      for (const line of lines.filter((text) => text.includes('sisci'))) assert.match(line, /emulated/);
    }
    const csv = await run(['export', directory, '--csv'], { cwd: folder });
    assert.equal(csv.code, 0, csv.stderr);
    for (const line of csv.stdout.split('\n').filter((text) => text.includes('sisci')))
      assert.match(line, /emulated/);
    assert.deepEqual(await survivors(started.marker), []);
  });
});

test('--json prints one object per cell and line, then one summary', async () => {
  await withFolder(async (folder) => {
    const words = 'allreduce --sizes 8,1K --transport socket,sisci --launches 1 --precision off --json';
    const ended = await run(words.split(' '), { cwd: folder });
    assert.equal(ended.code, 0, ended.stderr);
    const lines = ended.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const cells = lines.filter(({ type }) => type === 'cell');
    assert.deepEqual(
      cells.map((line) => line.status),
      ['ok', 'ok', 'ok', 'ok'],
    );
    assert.ok(cells.every((line) => (line.transport === 'sisci') === (line.medium === 'emulated')));
    assert.equal(lines.length, cells.length + 1, 'each once');
    const last = lines.at(-1) as { type?: string; exitCode?: number };
    assert.deepEqual([last.type, last.exitCode], ['summary', 0]);
  });
});

test('a plan printed with --plan-only starts nothing and leaves nothing', async () => {
  await withFolder(async (folder) => {
    const ended = await run(
      ['allreduce', '--min', '8', '--max', '1G', '--transport', 'socket,sisci', '--plan-only', '--json'],
      {
        cwd: folder,
      },
    );
    assert.equal(ended.code, 0, ended.stderr);
    const plan = JSON.parse(ended.stdout) as { points: unknown[]; expected: { cells: number } };
    assert.equal(plan.points.length, 28);
    assert.equal(plan.expected.cells, 56);
    const short = await run(['allreduce', '--max', '1G', '--transport', 'socket,sisci', '--plan-only'], {
      cwd: folder,
    });
    assert.match(short.stdout, /what +allreduce float32 sum\n(.*\n)*.*configurations 56\n/);
    assert.match(short.stdout, /Nothing was measured/);
    assert.deepEqual(await readdir(folder), []);
  });
});

/**
 * Combinations that test the command line and the processes: names, launches, and that wrong data would be reported. Tests of
 * the engine cover all collectives with all numbers of ranks, types and ops.
 */
const combinations: readonly [collective: string, ranks: number, dtypes: string, typesAndOps: number][] = [
  ['allreduce', 3, 'all', 10 * 5],
  ['allgather', 7, 'all', 10],
  ['reducescatter', 4, 'float16,int64', 2 * 5],
  ['broadcast', 2, 'all', 10],
  ['reduce', 1, 'bfloat16,uint8', 2 * 5],
];
for (const [collective, ranks, dtypes, typesAndOps] of combinations)
  test(`${collective} over ${ranks} ranks: types, every op, empty, odd and indivisible sizes are right`, async () => {
    await withFolder(async (folder) => {
      const transports = `socket,sisci,plugin:${path.join(root, 'build/native/libnccl-net-sisci.so')}`;
      const what = ['--ranks', String(ranks), '--dtype', dtypes];
      if (collective.includes('reduce')) what.push('--op', 'all');
      const sizes = ['--sizes', '0,104,40040', '--in-place', 'both'];
      const effort = ['--launches', '1', '--iters', '2', '--warmup', '0', '--check', '1'];
      const args = [collective, ...what, '--transport', transports, ...sizes, ...effort, '--json'];
      const ended = await run(args, { cwd: folder });
      assert.equal(ended.code, 0, ended.stderr);
      const cells = ended.stdout
        .trim()
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as CellRecord);
      const measured = cells.filter((cell): cell is OkCell => cell.status === 'ok');
      assert.equal(measured.length, typesAndOps * 18, 'three transports, three sizes, in place and not');
      for (const cell of measured) {
        assert.equal(cell.verification.wrongElements, 0, cell.id);
        assert.ok(cell.verification.checks > 0, cell.id);
      }
    });
  });
