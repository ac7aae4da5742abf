import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secondsOrTime } from './values.ts';

test('--timeout is a time with its unit, or seconds', () => {
  assert.equal(secondsOrTime('300'), 300);
  assert.equal(secondsOrTime('0.5'), 0.5);
  assert.equal(secondsOrTime('5m'), 300);
  for (const [text, says] of [
    ['0', /not above 0/],
    ['86401', /more than 86400/],
    ['', /not a number/],
    ['soon', /not a time/],
    ['5x', /not a time/],
    ['25h', /longer than 24h/],
  ] as const)
    assert.throws(() => secondsOrTime(text), says, text);
});
