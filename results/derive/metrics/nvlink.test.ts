import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openMetrics } from '../../store/metrics.ts';
import { openRun } from '../../store/read.ts';
import { nvlinkTraffic } from './nvlink.ts';

const recorded = fileURLToPath(new URL('../../../../results/reference/nccl-4-h200', import.meta.url));

async function reference() {
  const { record, cells } = await openRun(recorded);
  return { plan: record.plan, cells, hosts: await openMetrics(recorded) };
}

test('four H200: NVLink carried what allreduce had to move between them, within 5 %', async () => {
  const { plan, cells, hosts } = await reference();
  const traffic = await nvlinkTraffic(plan, cells, hosts);
  assert.ok(traffic !== null && traffic.neededBytes > 1e12);
  const ratio = traffic.sentBytes / traffic.neededBytes;
  assert.ok(ratio >= 0.999 && ratio < 1.05, `sent ${ratio} of what was needed`);
});

test('nothing is said of runs without p2p, without counters, or where a cell does not know what it moved', async () => {
  const { plan, cells, hosts } = await reference();
  assert.equal(await nvlinkTraffic(plan, cells, []), null);
  assert.equal(await nvlinkTraffic({ ...plan, engine: 'cpu' }, cells, hosts), null);
  const [first, ...others] = cells;
  assert.ok(first?.status === 'ok');
  const { traffic: _, ...silent } = first;
  assert.equal(await nvlinkTraffic(plan, [silent, ...others], hosts), null);
});
