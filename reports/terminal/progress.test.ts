import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CellRecord } from '../../results/schema/index.ts';
import { sisciPlan, socketPlan, syntheticRun } from '../fixtures/synthetic.ts';
import { bar, newestResult, progressLine } from './progress.ts';

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

test('where measurements are not counted, the line has the time', () => {
  const line = progressLine({ ...state, done: 0, total: 0, leftS: null, elapsedS: 9 }, 80);
  assert.match(line, /^▕.*▏ 9 s so far · 2 flagged$/);
});

test('the bar is empty at 0, full at 1 and as wide as asked', () => {
  assert.equal(bar(0, 10), '▕        ▏');
  assert.equal(bar(1, 10), '▕████████▏');
  assert.equal(bar(0.5, 10), '▕████    ▏');
  assert.equal(bar(2, 10), bar(1, 10));
});

test('rows that the final table replaces are named as such', () => {
  assert.match(progressLine({ ...state, isProvisional: true }, 80), /2 flagged · rows not final$/);
});

const run = syntheticRun({ collectives: ['allreduce'], transports: [socketPlan, sisciPlan], maxBytes: 64 });
const { plan } = run.record;
const at = (point: number) => run.cells.filter((cell) => cell.point === point);

test('the newest result names the size, and each transport that has a time', () => {
  assert.match(newestResult(plan, at(1)), /^16 B so far: socket [\d.]+ (ns|µs|ms), sisci [\d.]+ (ns|µs|ms)$/);
  assert.match(newestResult(plan, at(1).slice(0, 1)), /^16 B so far: socket [\d.]+ (ns|µs|ms)$/);
  const failed = at(1).map((cell) => ({ ...cell, status: 'failed', reason: 'no answer' }) as CellRecord);
  assert.equal(newestResult(plan, failed), '');
  assert.equal(newestResult(plan, []), '');
});

test('the newest result of several series names the series, of one transport no transport', () => {
  const several = syntheticRun({
    collectives: ['allreduce', 'broadcast'],
    transports: [socketPlan],
    maxBytes: 16,
  });
  const last = several.record.plan.points.length - 1;
  assert.match(
    newestResult(
      several.record.plan,
      several.cells.filter(({ point }) => point === last),
    ),
    /^broadcast float32 root 0 16 B so far: [\d.]+ \S+$/,
  );
});

test('of wrong data the newest result has no time', () => {
  const wrong = at(0).map((cell) =>
    cell.status === 'ok' ? { ...cell, verification: { ...cell.verification, wrongElements: 3 } } : cell,
  );
  assert.equal(newestResult(plan, wrong), '8 B so far: socket WRONG DATA, sisci WRONG DATA');
});
