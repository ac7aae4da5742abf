import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minSizesOfRange } from '../../results/derive/index.ts';
import { testPoint } from '../../results/testing/plan.ts';
import type { PlanOptions } from '../options/plan-options.ts';
import { samplingOptionRows } from '../options/sampling-options.ts';
import {
  launchesAlone,
  maxAddedLaunches,
  minSizesPerRange,
  type RankCounts,
  samplingOf,
  usualAddedLaunches,
  usualLaunches,
} from './sampling-plan.ts';

const points = (...sizes: number[]) => sizes.map((bytes) => testPoint({ count: bytes / 4 }));
const counts: RankCounts = { ranks: 2, transports: 1, hosts: 1, hasGroups: false, sizes: 5 };
const options = (parts: Partial<PlanOptions> = {}) =>
  ({
    ...{ engine: 'cpu', launches: null, iters: null, precision: 0.01, budget: null, inProcess: false },
    ...{ warmup: 5, batch: 0, check: 16, timeout: 60, waitQuiet: null, retryFlagged: false },
    ...parts,
  }) as PlanOptions;

test('the size range that has fewest sizes counts; a size that comes twice counts once', () => {
  assert.equal(minSizesPerRange(points(8, 16, 32, 64, 128)), 5);
  assert.equal(minSizesPerRange(points(8, 8, 16)), 2);
  assert.equal(minSizesPerRange(points(8, 16, 32, 64, 128, 65536)), 1, '64 KiB is of the next range');
  assert.equal(minSizesPerRange([]), 0);
});

test('few sizes: more launches by default, since a size alone must see the states of the machine by itself', () => {
  const launches = (sizes: number, parts: Partial<PlanOptions> = {}, more: Partial<RankCounts> = {}) => {
    const { launches, adaptive } = samplingOf(options(parts), { ...counts, sizes, ...more }, 1);
    return [launches, adaptive?.maxLaunches];
  };
  assert.deepEqual(launches(5), [3, 12]);
  assert.deepEqual(launches(4), [5, 12]);
  assert.deepEqual(launches(5, { budget: 60 }), [3, 32], 'as many as the given time allows');
  assert.deepEqual(launches(5, { budget: 60, precision: 0.07 }), [3, 16]);
  assert.deepEqual(launches(5, { precision: 0.2 }), [3, 6], 'a coarse precision');
  assert.deepEqual(launches(5, { engine: 'nccl' }), [3, 3]);
  assert.deepEqual(launches(4, { engine: 'nccl' }), [5, 5]);
  assert.deepEqual(launches(4, {}, { hosts: 2 }), [5, 5]);
  assert.deepEqual(launches(4, {}, { ranks: 64 }), [5, 5], 'more processes than are bearable');
  assert.deepEqual(launches(1, { launches: 3 }), [3, 3], 'what was asked for stays');
});

test('help names these numbers', () => {
  assert.equal(
    samplingOptionRows.launches.defaultDescription,
    `${usualLaunches}; ${launchesAlone} where a size range has fewer than ${minSizesOfRange} sizes; engine cpu on one host: up to ${usualAddedLaunches}, with --budget up to ${maxAddedLaunches}`,
  );
});
