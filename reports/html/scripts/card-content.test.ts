import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cardContent, layoutStrip } from './card-content.ts';
import type { PointFacts } from './page-data.ts';

const measured: PointFacts = {
  tip: 'socket, 8 B: 4.71 µs ±1.1 %',
  series: 'socket',
  value: 4710,
  low: 4650,
  high: 4760,
  samples: 1200,
  launches: 2,
  min: 4000,
  p5: 4200,
  p95: 5200,
  p99: 5900,
  max: 6000,
  each: '4650 4760',
};

test('a card has name, value, interval, samples and quantiles, with the same units as the value', () => {
  assert.deepEqual((({ title, lines, notes }) => [title, ...lines, ...notes])(cardContent(measured)), [
    'socket, 8 B',
    '4.71 µs ±1.1 %',
    '95 % interval 4.65 µs to 4.76 µs',
    'n = 1,200 samples in 2 launches',
    '4.00 µs to 5.90 µs: p5 to p95, interval, median; below each launch',
    'min 4.00 µs, p95 5.20 µs, p99 5.90 µs, max 6.00 µs',
  ]);
});

test('a card without interval says why, and one sample is no plural', () => {
  const { lines } = cardContent({
    ...measured,
    low: null,
    high: null,
    why: '1 sample',
    samples: 1,
    launches: 1,
  });
  assert.deepEqual(lines.slice(1), ['no interval: 1 sample', 'n = 1 sample in 1 launch']);
});

test('a point that is no measured time has only its text', () => {
  assert.deepEqual(cardContent({ tip: 'ratio: 1.04x', series: null }), {
    title: 'ratio',
    lines: ['1.04x'],
    strip: null,
    notes: [],
  });
});

test('a strip has a bar for each bin, the interval, the median, and a tick for each launch, inside its width', () => {
  const strip = layoutStrip({ ...measured, bins: '4000 6000 0zz5' });
  assert.ok(strip !== null);
  assert.deepEqual([strip.from, strip.to, strip.hasBins], [4000, 6000, true]);
  const kinds = strip.bars.map(({ kind }) => kind);
  assert.deepEqual(kinds, ['bin', 'bin', 'bin', 'bin', 'span', 'median', 'median', 'median']);
  assert.deepEqual(
    strip.bars.slice(0, 3).map(({ height }) => height),
    [0, 44, 44],
  );
  for (const { x, width } of strip.bars) assert.ok(x >= -1 && x + width <= strip.width + 1);
});

test('without a histogram a strip is a box from p5 to p95; equal samples have none', () => {
  const strip = layoutStrip(measured);
  assert.deepEqual(
    strip?.bars.map(({ kind }) => kind),
    ['bin', 'bin', 'span', 'median', 'median', 'median'],
  );
  const equal = { min: 5, p5: 5, p95: 5, p99: 5, max: 5, value: 5, low: null, high: null, each: '5' };
  assert.equal(layoutStrip({ ...measured, ...equal }), null);
});
