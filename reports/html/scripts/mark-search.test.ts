import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isMoveKey, markAfterKey, nearestMark } from './mark-search.ts';

/** Two series of marks, 4 px wide: a at x = 0, 10, 20 and b at x = 1, 21. */
const places = [
  ['a', 0],
  ['a', 10],
  ['a', 20],
  ['b', 1],
  ['b', 21],
].map(([series, x]) => ({
  mark: `${series}${x}`,
  series: String(series),
  left: Number(x),
  right: Number(x) + 4,
  top: series === 'a' ? 0 : 50,
  bottom: series === 'a' ? 4 : 54,
}));

test('the nearest mark is found within the distance, measured from its box', () => {
  assert.equal(nearestMark(places, 12, 2, 24), 'a10');
  assert.equal(nearestMark(places, 7.5, 30, 24), 'b1');
  assert.equal(nearestMark(places, 200, 200, 24), null);
  assert.equal(nearestMark([], 0, 0, 24), null);
});

test('keys move along a series and between series', () => {
  for (const [from, key, to] of [
    [null, 'ArrowRight', 'a0'],
    ['hidden', 'End', 'a0'],
    ['a0', 'ArrowRight', 'a10'],
    ['a20', 'ArrowRight', 'a20'],
    ['a0', 'ArrowLeft', 'a0'],
    ['a10', 'Home', 'a0'],
    ['a10', 'End', 'a20'],
    ['a20', 'ArrowDown', 'b21'],
    ['b21', 'ArrowDown', 'a20'],
    ['a0', 'ArrowUp', 'b1'],
  ] as const)
    assert.equal(markAfterKey(places, from, key), to, `${from} ${key}`);
  assert.equal(markAfterKey([], 'a0', 'End'), null);
});

test('other keys stay with the browser', () => {
  assert.ok(['ArrowUp', 'Home', 'End'].every(isMoveKey));
  assert.ok(!['Tab', 'Escape', 'PageDown', 'a'].some(isMoveKey));
});
