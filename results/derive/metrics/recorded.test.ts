import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { metricsToCsv } from '../../export/metrics.ts';
import { openRun } from '../../store/read.ts';
import { alignMetrics, withLoads } from './load.ts';

// Path from dist/results/derive/metrics to the recorded run among the sources.
const folder = fileURLToPath(
  new URL('../../../../results/derive/metrics/fixtures/recorded', import.meta.url),
);

test('a recorded run: readings of a real agent give the loads and flags that stand in its cells', async () => {
  const { record, cells, metrics } = await openRun(folder);
  const hosts = await metrics();
  const bare = cells.map((cell) => {
    if (cell.status !== 'ok') return cell;
    const { load: _load, ...rest } = cell;
    return rest;
  });
  const again = await withLoads(record.plan, bare, hosts);
  for (const [i, cell] of cells.entries()) {
    const found = again[i];
    assert.ok(cell.status === 'ok' && found?.status === 'ok');
    assert.deepEqual(found.load, cell.load);
    assert.deepEqual(new Set(found.flags), new Set(cell.flags));
    assert.equal(cell.load?.hosts[0]?.coverage, 1);
  }
});

test('a recorded run: what passed the loopback while a cell was measured is what had to move', async () => {
  const { cells, metrics } = await openRun(folder);
  const [series] = await metrics();
  assert.ok(series !== undefined);
  const { alignment, table } = await alignMetrics(series, cells);
  const [rx, tx] = ['rxBytes', 'txBytes'].map((quantity) => table.index('net.lo', quantity) ?? -1);
  for (const [i, cell] of cells.entries()) {
    assert.ok(cell.status === 'ok');
    assert.deepEqual(alignment.of(i, rx ?? -1), alignment.of(i, tx ?? -1), 'what lo sends it receives');
    if (cell.transport === 'socket') {
      const { mustMoveBytes, interfaces } = cell.traffic ?? {};
      assert.ok((interfaces?.lo ?? 0) >= (mustMoveBytes ?? Number.NaN));
    }
  }
});

test('a recorded run as CSV: a row per cell, host and value that was read', async () => {
  const { cells, metrics } = await openRun(folder);
  let text = '';
  for await (const part of metricsToCsv(cells, await metrics())) text += part;
  const rows = text.trimEnd().split('\n');
  const channels = (await metrics())[0]?.header.channels.length ?? 0;
  assert.equal(rows.length, 1 + cells.length * channels);
  assert.ok(rows.every((row) => row.split(',').length === 10));
});
