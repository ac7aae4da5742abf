import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isTick, metricsTick } from './metrics.ts';

const tick = { startNs: 1_000_000, costNs: 10, values: [0, null, 1.5, -2, 1e300] };

test('a reading is known without the schema, and is what the schema would make of it', () => {
  assert.ok(isTick(tick));
  assert.deepEqual(metricsTick.parse(tick), tick);
});

for (const [what, raw] of Object.entries({
  'no object': 5,
  nothing: null,
  'a list': [1, 2, 3],
  'a header': { kind: 'metrics', schema: 1, host: 'gpu01' },
  'a time that is none': { ...tick, startNs: '1' },
  'half a nanosecond': { ...tick, costNs: 0.5 },
  'more than a number holds': { ...tick, startNs: 2 ** 53 },
  'a word among the values': { ...tick, values: [1, 'two'] },
  'a value without end': { ...tick, values: [JSON.parse('1e999')] },
  'values that are no list': { ...tick, values: { 0: 1 } },
  'no values': { startNs: 1, costNs: 1 },
  'a field more': { ...tick, host: 'gpu01' },
})) {
  test(`left to the schema, which refuses it: ${what}`, () => {
    assert.equal(isTick(raw), false);
    assert.equal(metricsTick.safeParse(raw).success, false);
  });
}
