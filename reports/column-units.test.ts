import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columnUnit, fractionText, withUnit } from './column-units.ts';

test('what is counted per second is named once', () => {
  assert.equal(withUnit('points/s at 64', columnUnit('1/s', [2e6])), 'M points/s at 64');
  assert.equal(withUnit('images/s', columnUnit('1/s', [3])), 'images/s');
  assert.equal(withUnit('latency', columnUnit('ns', [2000])), 'latency, µs');
});

test('a column of times is in the unit of its middle, and every value is written in it', () => {
  const unit = columnUnit('ns', [520, 4710, 281_000, 978_000_000, 310]);
  assert.equal(withUnit('latency', unit), 'latency, µs');
  assert.deepEqual([520, 4710, 281_000, 978_000_000].map(unit.text), ['0.520', '4.71', '281', '978,000']);
  assert.equal(columnUnit('ns', [52, 60, 4000]).unit, 'ns');
  assert.equal(columnUnit('ns', [2e6, 3e6, 500]).unit, 'ms');
});

test('a column of bandwidths too', () => {
  const unit = columnUnit('GB/s', [0.0017, 1.1, 7.1]);
  assert.equal(unit.unit, 'GB/s');
  assert.deepEqual([0.0017, 7.1, 1234].map(unit.text), ['0.00170', '7.10', '1,234']);
  assert.equal(columnUnit('GB/s', [0.0017, 0.002, 7.1]).unit, 'MB/s');
});

test('one of n is a fraction; what is none stays a number', () => {
  assert.deepEqual([1 / 64, 1 / 3, 0.3, 1, 32, 1.25, 0].map(fractionText), [
    '1/64',
    '1/3',
    '0.300',
    '1',
    '32',
    '1.25',
    '0',
  ]);
});
