import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesText, durationText, sizeFlag, sizeText } from './units.ts';

test('sizes are binary, bytes moved decimal', () => {
  assert.deepEqual([0, 8, 1024, 1536, 2 ** 20, 2 ** 30].map(sizeText), [
    '0 B',
    '8 B',
    '1 KiB',
    '1.5 KiB',
    '1 MiB',
    '1 GiB',
  ]);
  assert.deepEqual([8, 1000, 1536, 2 ** 20, 3 * 2 ** 30].map(sizeFlag), ['8', '1000', '1536', '1M', '3G']);
  assert.deepEqual([0, 999, 6.44e9].map(bytesText), ['0 B', '999 B', '6.44 GB']);
});

test('durations have three significant digits', () => {
  assert.deepEqual([0.5, 520, 4712, 281_400, 978e6, 12.34e9].map(durationText), [
    '0.5 ns',
    '520 ns',
    '4.71 µs',
    '281 µs',
    '978 ms',
    '12.3 s',
  ]);
});
