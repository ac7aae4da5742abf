import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupOf, regimeOf } from './cell-group.ts';

test('regimes as in stats.md', () => {
  const mib = 2 ** 20;
  assert.deepEqual([0, 8, 32768, 32772, 65536, 2 * mib, 4 * mib - 4, 4 * mib].map(regimeOf), [
    ...['small', 'small', 'small', 'mid', 'mid', 'mid', 'mid', 'large'],
  ]);
});

test('sizes of one regime are one group, whatever the rest of the id says', () => {
  const cell = (bytes: number, rest = '2/cpu/plugin:/opt/net.so@ring/LL') => ({
    id: `allreduce/float32/sum/out/r-/${bytes}/${rest}`,
    nodes: 1,
    payloadBytes: bytes,
    medium: 'hardware' as const,
  });
  const group = groupOf(cell(8));
  assert.deepEqual(group, {
    key: 'allreduce/float32/sum/out/r-/2/cpu/plugin:/opt/net.so@ring/LL/1n/hardware/small',
    series: 'allreduce/float32/sum/out/r-/2/cpu/plugin:/opt/net.so@ring/LL/1n/hardware',
    regime: 'small',
  });
  assert.equal(groupOf(cell(1024)).key, group.key);
  assert.notEqual(groupOf(cell(2 ** 20)).key, group.key);
  assert.notEqual(groupOf(cell(8, '4/cpu/socket')).key, group.key);
  assert.notEqual(groupOf({ ...cell(8), medium: 'emulated' }).key, group.key);
  assert.notEqual(groupOf({ ...cell(8), nodes: 2 }).key, group.key);
});
