import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CellRecord } from '../../schema/index.ts';
import { testPlan, testPoint } from '../../testing/plan.ts';
import { deriveCell } from './cell.ts';
import { groupOf, regimeOf } from './cell-group.ts';

test('size ranges: small up to 32 KiB, mid below 4 MiB, large from 4 MiB', () => {
  const mib = 2 ** 20;
  assert.deepEqual([0, 8, 32768, 32772, 65536, 2 * mib, 4 * mib - 4, 4 * mib].map(regimeOf), [
    ...['small', 'small', 'small', 'mid', 'mid', 'mid', 'mid', 'large'],
  ]);
});

test('sizes of one regime are one group, whatever the rest of the id says', () => {
  const cell = (bytes: number, parts: Partial<CellRecord> = {}) => {
    const cells = deriveCell(testPlan({ points: [testPoint({ count: bytes / 4 })] }), 0, 0, []);
    return { ...cells, transport: 'plugin:/opt/net.so@ring/LL', ...parts };
  };
  const group = groupOf(cell(8));
  const series =
    'collective;collective=allreduce;dtype=float32;op=sum;root=-;inPlace=out;ranks=2;nodes=1;engine=cpu;transport=plugin:/opt/net.so@ring/LL;medium=emulated';
  assert.deepEqual(group, { key: `${series}/small`, series, regime: 'small' });
  assert.equal(groupOf(cell(1024)).key, group.key);
  assert.notEqual(groupOf(cell(2 ** 20)).key, group.key);
  assert.notEqual(groupOf(cell(8, { ranks: 4 })).key, group.key);
  assert.notEqual(groupOf(cell(8, { medium: 'hardware' })).key, group.key);
  assert.notEqual(groupOf(cell(8, { nodes: 2 })).key, group.key);
  assert.notEqual(groupOf(cell(8, { requested: { algorithm: 'ring' } })).key, group.key);
});
