import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import type { CellRecord } from '../../results/schema/index.ts';
import {
  findOnlyRun,
  ndjson,
  newSharedNames,
  run,
  sharedNames,
  signalRank,
  start,
  survivors,
  withFolder,
} from './harness.ts';

const over = ['allreduce', '--transport', 'shm', '--launches', '1'];

test('shm: right data by way of slots and of one copy, and counters that confirm the way', () =>
  withFolder(async (folder) => {
    const words = [...over, '--sizes', '8,64K', '--iters', '5', '--ranks', '3', '--check', '1'];
    const ended = await run(words, { cwd: folder });
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(ended.stdout, /verified: \d+ checks, 0 wrong/);
    const cells = await ndjson<CellRecord>(path.join(await findOnlyRun(folder), 'cells.ndjson'));
    const told = cells.map((cell) => (cell.status === 'ok' ? [cell.medium, cell.traffic !== undefined] : []));
    assert.deepEqual(told, [
      ['hardware', true],
      ['hardware', true],
    ]);
    for (const cell of cells)
      if (cell.status === 'ok') assert.notEqual(cell.evidence.verdict, 'contradicted', cell.evidence.reason);
  }));

test('shm: a killed rank is named, the command ends with 2 and nothing is left', () =>
  withFolder(async (folder) => {
    const before = await sharedNames();
    const words = [
      ...over,
      '--min',
      '8',
      '--max',
      '64M',
      '--precision',
      'off',
      '--timeout',
      '20',
      '--ranks',
      '3',
    ];
    const started = start(words, { cwd: folder });
    await started.sees(/\n\s+(64|128)\s/);
    await signalRank(started.marker, 'SIGKILL', -1);
    const ended = await started.ended;
    assert.equal(ended.code, 2, ended.stderr);
    assert.match(ended.stderr, /rank \d+ .*(SIGKILL|killed)/);
    assert.deepEqual(await survivors(started.marker), []);
    assert.deepEqual(await newSharedNames(before), []);
  }));

test('shm: several hosts are refused before anything starts, with what joins them', async () => {
  const ended = await run([...over, '--hosts', 'one,two', '--plan-only']);
  assert.equal(ended.code, 1);
  assert.match(
    ended.stderr,
    /--transport shm cannot join 2 hosts: it joins processes of one machine[\s\S]*socket/,
  );
});
