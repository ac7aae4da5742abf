import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SizePoint } from './points.ts';
import { seriesModel } from './series-model.ts';

const sizes = (count: number, from = 3) => Array.from({ length: count }, (_, i) => 2 ** (i + from));
const point = (bytes: number, timeNs: number, choice = ''): SizePoint => ({
  bytes,
  timeNs,
  half: 0.01,
  error: 0.005,
  launchMediansNs: [timeNs, timeNs],
  choice,
});

function fitted(points: readonly SizePoint[], factor = 1) {
  const model = seriesModel(points, factor);
  assert.ok(model.status === 'fitted', JSON.stringify(model));
  return model;
}

test('one line: latency, saturation of payload and of links, half size', () => {
  const model = fitted(
    sizes(28).map((s) => point(s, 5000 + s / 10)),
    1.5,
  );
  assert.equal(model.segments.length, 1);
  assert.deepEqual(model.breaks, []);
  assert.ok(Math.abs(model.latencyNs.value - 5000) < 1e-6);
  assert.ok(Math.abs((model.saturation?.algGBps.value ?? 0) - 10) < 1e-9);
  assert.ok(Math.abs((model.saturation?.busGBps.value ?? 0) - 15) < 1e-9);
  assert.ok(Math.abs((model.saturation?.halfBytes.value ?? 0) - 50_000) < 1e-3);
  assert.ok(model.largestResidual.share < 1e-9);
});

test('a jump is a break between two sizes, and says what the engine changed there', () => {
  const model = fitted(
    sizes(20).map((s) =>
      s < 65536 ? point(s, 5000 + s / 10, 'Ring/LL') : point(s, 9000 + s / 40, 'Ring/Simple'),
    ),
  );
  assert.deepEqual(model.breaks, [{ belowBytes: 32768, fromBytes: 65536, choice: 'Ring/LL to Ring/Simple' }]);
});

test('a break where the engine says nothing of a change has no such words', () => {
  const model = fitted(sizes(20).map((s) => point(s, s < 65536 ? 5000 + s / 10 : 9000 + s / 40, 'ring')));
  assert.equal(model.breaks[0]?.choice, null);
});

test('times that no lines fit have no parameters: how far off, and where, is told', () => {
  const model = seriesModel(
    sizes(16).map((s, i) => point(s, 5000 * (i % 2 === 0 ? 1 : 2))),
    1,
  );
  assert.ok(model.status === 'none');
  assert.ok((model.largestResidual?.share ?? 0) > 0.1);
  assert.match(model.reason, /misses a size by more than 10 %/);
});

test('three sizes are no line', () => {
  const model = seriesModel(
    sizes(3).map((s) => point(s, 5000)),
    1,
  );
  assert.deepEqual(model, {
    status: 'none',
    reason: 'a line needs at least 4 sizes, there are 3',
    largestResidual: null,
  });
});

test('without large sizes there is a latency and no saturation', () => {
  const flat = fitted(sizes(8).map((s) => point(s, 5000)));
  assert.equal(flat.saturation, null);
  assert.match(flat.saturationReason ?? '', /does not grow/);
  const short = fitted(sizes(8).map((s) => point(s, 5000 + s / 10)));
  assert.match(short.saturationReason ?? '', /does not reach half/);
  const large = fitted(sizes(8, 25).map((s) => point(s, 5000 + s / 10)));
  assert.match(large.saturationReason ?? '', /above the half size/);
});

test('intervals need five launches, and the same of every size', () => {
  const times = (s: number, r: number) =>
    Array.from({ length: r }, (_, i) => (5000 + s / 10) * (1 + 0.01 * i));
  const of = (r: (s: number) => number) =>
    fitted(sizes(20).map((s) => ({ ...point(s, 5000 + s / 10), launchMediansNs: times(s, r(s)) })));
  assert.equal(of(() => 4).latencyNs.interval, null);
  assert.match(of(() => 4).intervalReason ?? '', /5 launches are needed, the run has 4/);
  assert.match(of((s) => (s === 8 ? 6 : 5)).intervalReason ?? '', /not all sizes/);
  const model = of(() => 5);
  assert.equal(model.intervalReason, null);
  const { low, high } = model.latencyNs.interval ?? { low: 0, high: 0 };
  assert.ok(low < 5000 && high > 5000 && high < 5300, `${low} to ${high}`);
  assert.deepEqual(
    of(() => 5),
    model,
  ); // seeded
});

test('a thousand sizes take no longer than one would wait', () => {
  const many = Array.from({ length: 1000 }, (_, i) => point((i + 1) * 4096, 5000 + i * 400));
  assert.equal(fitted(many).segments.length, 1);
});
