import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadNames, loadOf } from '../../results/schema/index.ts';
import { refusalText } from '../../results/testing/refused.ts';
import { planningEngines } from '../engines/index.ts';
import { defaultsOnly } from '../options/parsed-options.ts';
import type { PlanOptions } from '../options/plan-options.ts';
import { whatOptionRows } from '../options/what-options.ts';
import { suffixOf, withSuffixes } from '../testing/suffix.ts';
import { commandNamed } from '../workloads/index.ts';
import { requireLoads, seriesOf } from './loads.ts';

const options = (parts: Partial<PlanOptions>) =>
  ({
    engine: 'cpu',
    beside: [],
    skew: [0],
    ranks: null,
    algo: ['auto'],
    proto: ['auto'],
    ...parts,
  }) as PlanOptions;

test('a load is a kind, with an amount or without', () => {
  assert.deepEqual(loadOf('compute'), { name: 'compute', amount: null });
  assert.deepEqual(loadOf('traffic:12'), { name: 'traffic', amount: 12 });
  for (const word of ['none', 'compute:', 'compute:0', 'copy:x', 'copy:2:3', ''])
    assert.equal(loadOf(word), null);
});

test('none is always measured, whether it is named or not', () => {
  const { coerce: parse } = whatOptionRows.beside;
  assert.deepEqual(parse('none'), []);
  assert.deepEqual(parse('none, compute, copy:2, compute'), ['compute', 'copy:2']);
  assert.deepEqual(parse('compute'), ['compute']);
  assert.throws(() => parse('walk'), /walk is not allowed/);
  assert.throws(() => parse('traffic:9'), /more than 8 connections/);
  assert.throws(() => parse(''), /empty/);
});

test('every series is measured in quiet first, then beside each load', () => {
  const { choices } = seriesOf(commandNamed('allreduce'), options({ beside: ['compute', 'copy:2'] }));
  assert.deepEqual(withSuffixes(choices), [
    { suffix: '', settings: undefined },
    { suffix: '@compute', settings: { beside: 'compute' } },
    { suffix: '@copy:2', settings: { beside: 'copy:2' } },
  ]);
});

test('a load stands behind the algorithm that a series fixes', () => {
  const nccl = options({ engine: 'nccl', algo: ['ring'], proto: ['LL'], beside: ['compute'] });
  assert.deepEqual(seriesOf(commandNamed('allreduce'), nccl).choices.map(suffixOf), [
    '@ring/LL',
    '@ring/LL+compute',
  ]);
});

test('every engine takes the loads that it has, and refuses the others with those', () => {
  for (const { name: engine, loads } of Object.values(planningEngines)) {
    for (const load of loadNames) {
      const act = () => requireLoads(options({ engine, beside: [load] }), defaultsOnly);
      if (loads.includes(load)) act();
      else assert.match(refusalText(act), /has no such load/);
    }
  }
  const alone = () => requireLoads(options({ beside: ['traffic'], ranks: 1 }), defaultsOnly);
  assert.match(refusalText(alone), /no other to send to/);
});
