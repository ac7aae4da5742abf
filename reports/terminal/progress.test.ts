import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bar, progressLine } from './progress.ts';

const state = { done: 31, total: 56, elapsedS: 100, leftS: 72, flagged: 2, share: 0.58 };

test('the line says measurements, time left and flags, and fits any width', () => {
  assert.match(progressLine(state, 80), /^▕█+.? *▏ 31\/56 measurements · 1 min 12 s left · 2 flagged$/);
  for (const width of [10, 20, 40, 60, 80, 200]) {
    assert.ok(progressLine({ ...state, now: '1 MiB over sisci' }, width).length <= width);
  }
});

test('before the first measurement it promises nothing, at the end it says how long it took', () => {
  assert.match(progressLine({ ...state, done: 0, leftS: null, elapsedS: 3 }, 80), /3 s so far/);
  const ended = progressLine({ done: 56, total: 56, elapsedS: 192, leftS: 0, flagged: 0, share: 1 }, 80);
  assert.match(ended, /56\/56 measurements · 3 min 12 s$/);
});

test('the bar is empty at 0, full at 1 and as wide as asked', () => {
  assert.equal(bar(0, 10), '▕        ▏');
  assert.equal(bar(1, 10), '▕████████▏');
  assert.equal(bar(0.5, 10), '▕████    ▏');
  assert.equal(bar(2, 10), bar(1, 10));
});
