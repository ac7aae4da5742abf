import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BlockRequest, RunPlan } from '../../results/schema/index.ts';
import { testBlocks, testPlan } from '../../results/testing/plan.ts';
import { blocksOfLaunch, startsAtOnce } from './open-ahead.ts';

const block = testBlocks(testPlan())[0] as BlockRequest;
const of = (transport: number, launch: number, more: Partial<BlockRequest> = {}): BlockRequest => ({
  ...block,
  transport,
  launch,
  ...more,
});
const names = (blocks: readonly BlockRequest[]): string[] =>
  blocks.map(({ transport, launch }) => `${transport}.${launch}`);

test('launches are opened with the one that is due, in the order of their blocks, as many as start at once', () => {
  const expected = [of(0, 0), of(0, 0), of(1, 0), of(1, 1), of(0, 1)];
  const open = new Set(['1 0']);
  const opened = (atOnce: number) =>
    names(blocksOfLaunch(of(0, 0), expected, (key) => open.has(key), atOnce));
  assert.deepEqual(opened(1), ['0.0']);
  assert.deepEqual(opened(2), ['0.0', '1.1']);
  assert.deepEqual(opened(9), ['0.0', '1.1', '0.1']);
});

test('a launch that ends before the next one begins is opened when it is due', () => {
  const expected = [of(0, 4, { endsLaunch: true }), of(1, 0)];
  assert.deepEqual(names(blocksOfLaunch(of(0, 0), expected, () => false, 9)), ['0.0', '1.0']);
});

test('as many start at once as the host with the fewest cores has for their ranks; short starts come one by one', () => {
  const plan: RunPlan = {
    ...testPlan(),
    engine: 'torch',
    hosts: [
      { name: 'a', ranks: [0, 1] },
      { name: 'b', ranks: [2] },
    ],
  };
  const hostCores = (a: string, b: string) => [
    { host: 'a', oneCpuPerCore: a },
    { host: 'b', oneCpuPerCore: b },
  ];
  assert.equal(startsAtOnce(plan, hostCores('0-23', '0-63')), 6);
  assert.equal(startsAtOnce(plan, hostCores('0-63', '0-3')), 2);
  assert.equal(startsAtOnce(plan, hostCores('0-1', '0-63')), 1);
  assert.equal(startsAtOnce(plan, hostCores('', '0-63')), 1);
  assert.equal(startsAtOnce({ ...plan, engine: 'cpu' }, hostCores('0-63', '0-63')), 1);
});
