import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitLine } from './line.ts';
import { halfSize } from './series-model.ts';

const sizes = Array.from({ length: 20 }, (_, i) => 2 ** (i + 3));
const points = (time: (bytes: number) => number) =>
  sizes.map((bytes) => ({ bytes, timeNs: time(bytes), spread: 0.01 }));
const near = (actual: number, expected: number, share = 1e-9) =>
  assert.ok(Math.abs(actual / expected - 1) < share, `${actual}, expected ${expected}`);

test('a line is found again, over all decades of size', () => {
  const { line, cost } = fitLine(points((s) => 7000 + s / 60));
  near(line.alphaNs, 7000);
  near(line.nsPerByte, 1 / 60);
  assert.ok(cost < 1e-12);
});

test('each time counts by its own share: an error of 1 % of the largest does not move the latency', () => {
  const { line } = fitLine(points((s) => (7000 + s / 60) * (s === 2 ** 22 ? 1.01 : 1)));
  near(line.alphaNs, 7000, 0.002);
});

test('one size that sticks out does not bend the line', () => {
  const { line } = fitLine(points((s) => (7000 + s / 60) * (s === 64 ? 3 : 1)));
  near(line.alphaNs, 7000, 0.002);
  near(line.nsPerByte, 1 / 60, 0.002);
});

test('neither latency nor time per byte is negative', () => {
  const falling = fitLine(points((s) => 9000 - s / 1000)).line;
  assert.equal(falling.nsPerByte, 0);
  assert.ok(falling.alphaNs > 4000 && falling.alphaNs < 9000);
  const large = [1, 2, 3, 4].map((i) => ({ bytes: i * 1e6, timeNs: i * 1e6 - 1e5, spread: 0.01 }));
  const { alphaNs, nsPerByte } = fitLine(large).line;
  assert.equal(alphaNs, 0);
  assert.ok(nsPerByte > 0.9 && nsPerByte < 1);
});

test('n1/2 of a single line is alpha / beta', () => {
  near(
    halfSize(
      points((s) => 7000 + s / 60),
      1 / 60,
    ) ?? 0,
    420_000,
  );
});

test('n1/2 is null where the smallest size is above it, or none reaches it', () => {
  assert.equal(
    halfSize(
      points((s) => s / 60),
      1 / 60,
    ),
    null,
  );
  assert.equal(
    halfSize(
      points((s) => 1e9 + s / 60),
      1 / 60,
    ),
    null,
  );
});
