import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nightScatter } from './nights.ts';

const percent = ({ variance }: { variance: number }) => Number((100 * Math.sqrt(variance)).toFixed(2));

test('nothing learned: nights differ by what the transport is known for', () => {
  assert.deepEqual([percent(nightScatter(null, 'p2p')), nightScatter(null, 'p2p').degrees], [1, 10]);
});

test('two nights that happen to be alike do not say that nights never differ', () => {
  const scatter = nightScatter({ variance: 0, degrees: 1 }, 'p2p');
  assert.deepEqual([percent(scatter), scatter.degrees], [0.87, 4]);
});

test('many nights speak for themselves', () => {
  assert.equal(percent(nightScatter({ variance: 0.05 ** 2, degrees: 20 }, 'p2p')), 5);
});
