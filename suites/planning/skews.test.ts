import assert from 'node:assert/strict';
import { test } from 'node:test';
import { skewOf, skewText } from '../../results/schema/index.ts';
import { refusalText } from '../../results/testing/refused.ts';
import { planningEngines } from '../engines/index.ts';
import { defaultsOnly } from '../options/parsed-options.ts';
import type { PlanOptions } from '../options/plan-options.ts';
import { whatOptionRows } from '../options/what-options.ts';
import { withSuffixes } from '../testing/suffix.ts';
import { commandNamed, plannings } from '../workloads/index.ts';
import { seriesOf } from './loads.ts';
import { requireSkewedRank, requireSkews } from './skews.ts';

const options = (parts: Partial<PlanOptions>) =>
  ({
    ...{ engine: 'cpu', beside: [], skew: [0], skewRank: 0, ranks: null, algo: ['auto'], proto: ['auto'] },
    ...parts,
  }) as PlanOptions;
const allreduce = commandNamed('allreduce');

test('a delay is 0 or a time with its unit up to 100 ms, each once', () => {
  const { coerce: parse } = whatOptionRows.skew;
  assert.deepEqual(parse('0, 50us,1.5us,0.1s,50us'), [0, 50_000, 1_500, 100_000_000]);
  assert.throws(() => parse('101ms'), /longer than 100ms/);
  assert.throws(() => parse('50'), /unit is missing/);
  assert.throws(() => parse('soon'), /not a time/);
  assert.throws(() => parse(''), /empty/);
});

test('the late rank is a number, all or random', () => {
  const { coerce: parse } = whatOptionRows.skewRank;
  assert.deepEqual(['2', 'all', 'Random'].map(parse), [2, 'all', 'random']);
  assert.throws(() => parse('-1'), /not a whole number/);
});

test('a setting of ranks says the delay in whole units and the rank', () => {
  for (const [skew, text] of [
    [{ ns: 250_000, ranks: 0 }, '250us'],
    [{ ns: 1_500, ranks: 2 }, '1500ns:2'],
    [{ ns: 1_000_000, ranks: 'all' }, '1ms:all'],
    [{ ns: 100_000_000, ranks: 'random' }, '100ms:random'],
  ] as const) {
    assert.equal(skewText(skew), text);
    assert.deepEqual(skewOf(text), skew);
  }
  for (const text of ['', 'ring', '4ch', '1s', '1.5us', '5us:some']) assert.equal(skewOf(text), null);
});

test('a delay of 0 is the series without delays: the same settings, and so the same messages to agents', () => {
  const of = (parts: Partial<PlanOptions>) => withSuffixes(seriesOf(allreduce, options(parts)).choices);
  assert.deepEqual(of({ skew: [0], skewRank: 'all' }), of({}));
  assert.deepEqual(of({ algo: ['ring'], skew: [0, 250_000], skewRank: 1, beside: ['copy'] }), [
    { suffix: '@ring', settings: { algo: 'ring' } },
    { suffix: '@ring+copy', settings: { algo: 'ring', beside: 'copy' } },
    { suffix: '@ring+250us:1', settings: { algo: 'ring', skew: '250us:1' } },
    { suffix: '@ring+250us:1+copy', settings: { algo: 'ring', skew: '250us:1', beside: 'copy' } },
  ]);
});

test('engines and workloads without operations that can be delayed are refused with what is allowed', () => {
  const skew = [1_000];
  for (const { name: engine, delaysRanks } of Object.values(planningEngines)) {
    const act = () => requireSkews(allreduce, options({ engine, skew }), defaultsOnly);
    if (delaysRanks) act();
    else assert.match(refusalText(act), new RegExp(`the ${engine} engine cannot .*--engine cpu, mpi`, 's'));
  }
  for (const { row, commands } of plannings)
    for (const { name } of commands) {
      const act = () => requireSkews(commandNamed(name), options({ skew }), defaultsOnly);
      if (row.figures.some((figure) => figure.name === 'skew')) act();
      else assert.match(refusalText(act), /no operation for which ranks can be late.*allreduce/s);
    }
});

test('the late rank must exist, and another one with it', () => {
  const late = (skewRank: PlanOptions['skewRank'], ranks: number, skew = [1_000]) =>
    requireSkewedRank({ skew, skewRank }, ranks);
  late(3, 4);
  late('all', 2);
  late(9, 1, [0]);
  assert.match(
    refusalText(() => late(4, 4)),
    /--skew-rank 4: there is no such rank among 4.*0 to 3/s,
  );
  assert.match(
    refusalText(() => late('random', 1)),
    /no other that could be earlier/,
  );
  const typed = {
    ...defaultsOnly,
    typed: () => ({ text: '1', where: '--skew-rank', isLetter: false, isConfig: false }),
  };
  const alone = () => requireSkews(allreduce, options({ skewRank: 1 }), typed);
  assert.match(refusalText(alone), /--skew-?rank has no effect without --skew/i);
});
