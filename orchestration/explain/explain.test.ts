import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Variant } from '../../suites/explain/variants.ts';
import { type SizeCost, turnsOf, wholeBudget } from './explain.ts';
import { affordableSuspects, inOrder } from './point.ts';
import { minLaunches } from './point-launches.ts';

const base: Variant = {
  ...{ cause: 'base', title: '', command: 'allreduce', payloadBytes: 8, times: 1, unset: [] },
  options: { algo: 'ring', transport: 'socket' },
};
const variant = (cause: string, title: string, options: Variant['options'] = {}): Variant => ({
  ...base,
  ...{ cause, title, options: { ...base.options, ...options } },
});

test('variants are tried in this order: suspects by what they could explain, typed options, one of each cause, the others', () => {
  const variants = [
    variant('protocol', 'protocol ll', { proto: 'll' }),
    variant('protocol', 'protocol simple', { proto: 'simple' }),
    variant('algorithm', 'algorithm direct', { algo: 'direct' }),
    variant('cpu-quota', 'no quota', { cpuQuota: 'leave' }),
    variant('others-load', 'priority', { priority: 'high' }),
  ];
  const suspicions = new Map([
    ['cpu-quota', { share: 0.2, text: '' }],
    ['others-load', { share: 0.6, text: '' }],
  ]);
  const ordered = inOrder(variants, base, { algo: 'ring' }, suspicions);
  assert.deepEqual(
    ordered.map(({ variant: { title } }) => title),
    ['priority', 'no quota', 'algorithm direct', 'protocol ll', 'protocol simple'],
  );
  assert.equal(ordered.filter(({ isLikely }) => isLikely).length, 3);
});

test('each typed option has its turn before other variants of the first one', () => {
  const typed = { algo: 'bruck', link: 'custom:gbps=0.5' };
  const from = { ...base, options: { ...base.options, ...typed } };
  const other = (cause: string, title: string, options: Variant['options']): Variant => ({
    ...from,
    ...{ cause, title, options: { ...from.options, ...options } },
  });
  const variants = [
    other('algorithm', 'algorithm ring', { algo: 'ring' }),
    other('algorithm', 'algorithm direct', { algo: 'direct' }),
    other('algorithm', 'algorithm tree', { algo: 'tree' }),
    other('link', 'no link model', { link: 'none' }),
  ];
  const ordered = inOrder(variants, from, typed, new Map());
  assert.deepEqual(
    ordered.filter(({ isLikely }) => isLikely).map(({ variant: { title } }) => title),
    ['algorithm ring', 'no link model'],
  );
});

test('the less time is left, the fewer suspects are removed, so that every part is measured in four rounds', () => {
  assert.deepEqual([100, 24, 23, 16, 3, 0].map(affordableSuspects), [3, 3, 2, 1, 1, 1]);
});

test('the largest size of each series has its turn first, then the smallest, then the others', () => {
  const turns = turnsOf([3, 1, 2]).map(({ series, index }) => `${series}.${index}`);
  assert.deepEqual(turns, ['0.2', '1.0', '2.1', '0.0', '2.0', '0.1']);
});

test('the time for all sizes follows the measured cost of a launch, and sizes without one count as the slowest', () => {
  const size = (seconds: number, launches: number, isExplained: boolean): SizeCost => ({
    ...{ seconds, launches, isExplained },
  });
  // One size ran out of time after two slow launches: each size needs twenty such launches.
  const open = wholeBudget([size(22, 2, false)], 3, 0);
  assert.ok(open >= 3 * 11 * minLaunches, String(open));
  // An explained size was cheap. The other one, over a slower transport, got little time.
  const mixed = wholeBudget([size(20, 40, true), size(30, 3, false)], 4, 5);
  assert.ok(mixed >= 20 + 3 * 40 * 10 + 5, String(mixed));
  // More launches than necessary are planned for no size that needs none.
  assert.ok(wholeBudget([size(40, minLaunches, true)], 1, 0) <= 2 * 40);
});
