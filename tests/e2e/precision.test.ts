import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import {
  allMeasuredFigures,
  type BlockRecord,
  type CellRecord,
  isOk,
  measuredOf,
  type OkCell,
  type RunRecord,
} from '../../results/schema/index.ts';
import { findOnlyRun, ndjson, type ProcessResult, run, start, withFolder } from './harness.ts';

/** Tests adaptive sampling, which continues until figures are precise, with the real command. */

async function stored(folder: string) {
  const directory = await findOnlyRun(folder);
  const record = JSON.parse(await readFile(path.join(directory, 'run.json'), 'utf8')) as RunRecord;
  const cells = await ndjson<CellRecord>(path.join(directory, 'cells.ndjson'));
  const blocks = await ndjson<BlockRecord>(path.join(directory, 'samples', 'blocks.ndjson'));
  return { directory, record, cells, blocks };
}

/**
 * Returns the measured cells of a run with `--budget`. On a busy machine the time may be over before the first launch of a cell,
 * which then has no result; only such a cell may make the run end with exit code 2.
 * @param limit the budget as messages show it
 */
function measuredIn(cells: readonly CellRecord[], { code, stderr }: ProcessResult, limit: string): OkCell[] {
  const tooLate = ['aborted', `no time left for its first launch (limit ${limit})`];
  for (const cell of cells)
    if (cell.status !== 'ok') assert.deepEqual([cell.status, cell.reason], tooLate, cell.id);
  const measured = cells.filter(isOk);
  assert.ok(measured.length > 0, 'the first launch of the run is never left out');
  assert.equal(code, measured.length === cells.length ? 0 : 2, stderr);
  return measured;
}

test('by default cells are sampled until they are precise; why each ended is kept and told', async () => {
  await withFolder(async (folder) => {
    const words = 'allreduce --sizes 8,64K --transport socket,sisci --precision 5% --budget 8s'.split(' ');
    const ended = await run(words, { cwd: folder });
    const { directory, record, cells, blocks } = await stored(folder);
    const measured = measuredIn(cells, ended, '8 s');
    assert.match(ended.stdout, /plan: 5 to 32 launches · to ±5\.0 % · about \d+ s/);
    const values = 2 * measured.length;
    const precision = new RegExp(`precision: (\\d|none) of ${values} values within ±5\\.0 %`);
    assert.match(record.summary?.sentences.join('\n') ?? '', precision);
    assert.deepEqual(record.plan.sampling.adaptive?.precision, 0.05);
    assert.equal(cells.length, 4);
    for (const cell of measured) {
      assert.equal(allMeasuredFigures(cell).length, 2);
      for (const { stopped, launches } of allMeasuredFigures(cell)) {
        assert.match(stopped ?? '', /^(precise|launches|noise|budget|samples)$/, cell.id);
        assert.ok(launches >= 1 && launches <= 32);
      }
    }
    const starts = record.launches.map(({ transport, launch }) => `${transport} ${launch}`);
    assert.equal(new Set(starts).size, starts.length, 'each start has a number of its own');
    const seen = new Set<string>();
    for (const { point, transport, launch, trial, checks } of blocks) {
      const key = `${point} ${transport} ${launch} ${trial}`;
      if (!seen.has(key)) assert.ok(Math.min(...checks) > 0, 'the first block of every launch verifies');
      seen.add(key);
    }
    // If cells are missing, the few lines below the table say so first, and may have no room for the precision.
    if (measured.length < cells.length) return;
    assert.match(ended.stdout, precision);
    // On a busy machine all of the time may go by with the first launches, which give no interval.
    assert.match(ended.stdout.replace(/\s+/g, ' '), /typical ±[\d.]+ %|\(no interval, so no verdict\)/);
    const { stdout } = await run(['show', directory], { cwd: folder });
    assert.match(stdout, precision);
  });
});

test('a budget too small for more: every cell in time has its figures, from one launch at least', async () => {
  await withFolder(async (folder) => {
    const words = 'allreduce --min 8 --max 1K --launches 2 --budget 3s'.split(' ');
    const ended = await run(words, { cwd: folder });
    const { cells } = await stored(folder);
    assert.equal(cells.length, 8);
    const measured = measuredIn(cells, ended, '3 s');
    for (const cell of measured) {
      assert.equal(allMeasuredFigures(cell).length, 2, cell.id);
      assert.ok(allMeasuredFigures(cell).every(({ launches }) => launches === 1 || launches === 2));
    }
    // A cell without its first launch shows as well that the time was over.
    const isCut = measured.flatMap(allMeasuredFigures).some(({ stopped }) => stopped === 'budget');
    assert.ok(isCut || measured.length < cells.length);
  });
});

test('killed in the middle: cells that were done stay as they are, the others are sampled anew', async () => {
  await withFolder(async (folder) => {
    const words = 'allreduce --min 8 --max 1K --launches 2 --precision 2% --budget 8s'.split(' ');
    const started = start(words, { cwd: folder });
    await started.sees(/\n\s+16\s/);
    started.child.kill('SIGKILL');
    await started.ended;
    const before = await stored(folder);
    const resumed = await run(['resume', before.directory], { cwd: folder });
    const { cells, record } = await stored(folder);
    assert.equal(cells.length, 8);
    const measured = measuredIn(cells, resumed, '8 s');
    assert.equal(record.state, measured.length === cells.length ? 'complete' : 'incomplete');
    for (const was of before.cells.filter(isOk)) {
      const now = cells.find(({ id }) => id === was.id);
      for (const name of ['latency', 'pipelined']) {
        const [is, had] = [measuredOf(now, name), measuredOf(was, name)];
        assert.deepEqual([is?.launchValues, is?.stopped], [had?.launchValues, had?.stopped], was.id);
      }
    }
    assert.ok(measured.every((cell) => measuredOf(cell, 'latency')?.stopped !== undefined));
  });
});

for (const [what, words, pattern] of [
  ['a precision without its unit', '--precision 1', /--precision 1: its unit is missing[\s\S]*0\.1% to 50%/],
  ['a precision and a count', '--precision 1% --iters 20', /--precision 1% and --iters[\s\S]*--budget/],
  [
    'a budget and fixed counts',
    '--budget 1m --precision off',
    /--budget 1m has no effect where --precision is off/,
  ],
  [
    'a budget and groups',
    '--budget 1m --ranks 4 --groups div:2',
    /--budget 1m: with --groups the number of samples is fixed/,
  ],
] as const) {
  test(`${what} is refused, with the way out`, async () => {
    const { code, stderr } = await run(['allreduce', ...words.split(' ')]);
    assert.equal(code, 1);
    assert.match(stderr, pattern);
  });
}
