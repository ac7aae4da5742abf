import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import {
  allMeasuredFigures,
  type BlockRecord,
  type CellRecord,
  measuredOf,
  type OkCell,
  type RunRecord,
} from '../../results/schema/index.ts';
import { findOnlyRun, ndjson, run, start, withFolder } from './harness.ts';

/** Tests adaptive sampling, which continues until figures are precise, with the real command. */

async function stored(folder: string) {
  const directory = await findOnlyRun(folder);
  const record = JSON.parse(await readFile(path.join(directory, 'run.json'), 'utf8')) as RunRecord;
  const cells = (await ndjson<CellRecord>(path.join(directory, 'cells.ndjson'))) as OkCell[];
  const blocks = await ndjson<BlockRecord>(path.join(directory, 'samples', 'blocks.ndjson'));
  return { directory, record, cells, blocks };
}

test('by default cells are sampled until they are precise; why each ended is kept and told', async () => {
  await withFolder(async (folder) => {
    const words = 'allreduce --sizes 8,64K --transport socket,sisci --precision 5% --budget 8s'.split(' ');
    const ended = await run(words, { cwd: folder });
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(ended.stdout, /plan: 5 to 32 launches · to ±5\.0 % · about \d+ s/);
    assert.match(ended.stdout, /precision: (\d|none) of 8 values within ±5\.0 %/);
    const { directory, record, cells, blocks } = await stored(folder);
    assert.deepEqual(record.plan.sampling.adaptive?.precision, 0.05);
    assert.equal(cells.length, 4);
    for (const cell of cells) {
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
    // On a busy machine all of the time may go by with the first launches, which give no interval.
    assert.match(ended.stdout.replace(/\s+/g, ' '), /typical ±[\d.]+ %|\(no interval, so no verdict\)/);
    const { stdout } = await run(['show', directory], { cwd: folder });
    assert.match(stdout, /precision: (\d|none) of 8 values within ±5\.0 %/);
  });
});

test('a budget too small for more: every cell has its figures, from one launch at least', async () => {
  await withFolder(async (folder) => {
    const words = 'allreduce --min 8 --max 1K --launches 2 --budget 3s'.split(' ');
    const ended = await run(words, { cwd: folder });
    assert.equal(ended.code, 0, ended.stderr);
    const { cells } = await stored(folder);
    assert.equal(cells.length, 8);
    for (const cell of cells)
      assert.ok(allMeasuredFigures(cell).every(({ launches }) => launches === 1 || launches === 2));
    assert.ok(cells.flatMap(allMeasuredFigures).some(({ stopped }) => stopped === 'budget'));
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
    const { code, stderr } = await run(['resume', before.directory], { cwd: folder });
    assert.equal(code, 0, stderr);
    const { cells, record } = await stored(folder);
    assert.equal(record.state, 'complete');
    assert.equal(cells.length, 8);
    for (const was of before.cells) {
      const now = cells.find(({ id }) => id === was.id);
      for (const name of ['latency', 'pipelined']) {
        const [is, had] = [measuredOf(now, name), measuredOf(was, name)];
        assert.deepEqual([is?.launchValues, is?.stopped], [had?.launchValues, had?.stopped], was.id);
      }
    }
    assert.ok(cells.every((cell) => measuredOf(cell, 'latency')?.stopped !== undefined));
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
