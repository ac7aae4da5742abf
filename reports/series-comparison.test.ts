import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CellRecord, OkCell } from '../results/schema/index.ts';
import { comparisonSentence } from './comparison-sentence.ts';
import { evidenceSentence } from './evidence.ts';
import { bytesOf, sisciPlan, socketPlan, syntheticRun, withFigures } from './fixtures/synthetic.ts';
import { groupsOf } from './series.ts';
import { comparisonsOf } from './series-comparison.ts';
import { comparisonSentences, summarise, verificationSentence } from './summary.ts';
import { mediumMismatchText } from './wording.ts';

/** Returns a run with the given times: ns of socket and sisci per size. Every interval is ± `half` of the median. */
function decreed(times: Record<number, [number, number]>, half: number | null) {
  const sizes = Object.keys(times).map(Number);
  const run = syntheticRun({ minBytes: Math.min(...sizes), maxBytes: Math.max(...sizes) });
  run.cells = run.cells.flatMap((cell): CellRecord[] => {
    const both = times[bytesOf(cell)];
    if (cell.status !== 'ok' || both === undefined) return [];
    const value = both[cell.transport === 'socket' ? 0 : 1];
    const interval =
      half === null
        ? null
        : { low: value * (1 - half), high: value * (1 + half), scope: 'launches' as const };
    const intervalReason = half === null ? 'too few samples' : null;
    return [
      withFigures(cell, (one) =>
        one.name === 'latency' ? { ...one, value, interval, intervalReason } : one,
      ),
    ];
  });
  return run;
}

function only<T>(items: readonly T[]): T {
  const [item] = items;
  assert.ok(item !== undefined && items.length === 1, `one expected, got ${items.length}`);
  return item;
}

const compared = (times: Record<number, [number, number]>, half: number | null = 0.01) =>
  only(groupsOf([decreed(times, half)]).flatMap(comparisonsOf));

test('one that is faster at every size is said to be, with the ratios at both ends and the caveat', () => {
  const c = compared({ 8: [4710, 520], 16: [4720, 520], 32: [4800, 1200] });
  assert.equal(
    comparisonSentence(c),
    `sisci is faster at every size: 9.1x at 8 B, 4.0x at 32 B (${mediumMismatchText})`,
  );
  assert.match(comparisonSentence(c, { absolute: true }), /9\.1x at 8 B \(0\.520 µs against 4\.71 µs\)/);
});

test('a crossover is interpolated linearly in bytes and lies inside its grey zone', () => {
  // The difference socket - sisci is -100 at 1024 and +300 at 2048. It is zero after a quarter of the range.
  const c = compared({ 512: [1000, 2000], 1024: [2000, 2100], 2048: [4300, 4000], 4096: [9000, 6000] });
  const x = only(c.crossovers);
  assert.equal(x.x, 1024 + (1024 * 100) / 400);
  assert.ok(x.low < x.x && x.x < x.high);
  assert.equal(x.above, 'b');
  assert.match(
    comparisonSentence(c),
    /^socket is faster below .* KiB, sisci above .* KiB, tie between: socket 2\.0x at 512 B, sisci 1\.50x at 4 KiB/,
  );
});

test('differences smaller than the intervals are ties, and no crossover is read out of them', () => {
  const c = compared({ 8: [1000, 1001], 16: [1002, 1000], 32: [1000, 1003] }, 0.02);
  assert.deepEqual(c.crossovers, []);
  assert.match(comparisonSentence(c), /show no difference at any size/);
});

test('many launches that slow down together: transports are compared launch by launch', () => {
  const comparisonOf = (launches: number) => {
    const run = decreed({ 8: [1000, 950], 16: [1000, 950], 32: [1000, 950] }, 0.1);
    run.cells = run.cells.map((cell) => {
      if (cell.status !== 'ok') return cell;
      // A launch is slow over both transports; only half a percent differs.
      const own = cell.transport === 'socket' ? 0.005 : -0.005;
      return withFigures(cell, (one) => {
        const { value } = one;
        const launchValues = Array.from(
          { length: launches },
          (_, i) => value * Math.exp(0.2 * Math.sin(2 * i) + own * Math.cos(3 * i)),
        );
        return one.name === 'latency' ? { ...one, launchValues } : one;
      });
    });
    return only(groupsOf([run]).flatMap(comparisonsOf));
  };
  assert.deepEqual(
    comparisonOf(12).points.map(({ winner }) => winner),
    ['b', 'b', 'b'],
  );
  assert.deepEqual(
    comparisonOf(11).points.map(({ winner }) => winner),
    ['tie', 'tie', 'tie'],
  );
});

test('a range is named only where every point in it has a winner', () => {
  // At 8 B narrow intervals of 1.00x are no win; at 16 B the intervals overlap.
  const outer = compared({
    8: [1000, 1003],
    16: [1000, 1012],
    512: [1000, 2000],
    1024: [2000, 2100],
    2048: [4300, 4000],
  });
  assert.match(
    comparisonSentence(outer),
    /^socket is faster from 512 B to .* KiB, sisci above .* KiB, no difference seen elsewhere: socket 2\.0x at 512 B, sisci 1\.07x at 2 KiB/,
  );
  const inner = compared({ 8: [1000, 2000], 16: [1000, 1001], 32: [1000, 2000], 64: [2000, 1000] });
  assert.match(
    comparisonSentence(inner),
    /^socket is faster at 2 of 4 sizes, sisci at 64 B, no difference seen at 16 B: socket 2\.0x at 8 B, sisci 2\.0x at 64 B/,
  );
});

test('outside the named ranges a size without an interval has no verdict, whatever its medians; both sides are named', () => {
  const c = compared({ 512: [1000, 2000], 1024: [2000, 2100], 2048: [4300, 4000], 4096: [9000, 3000] });
  const open = c.points.map((point) => (point.x === 4096 ? { ...point, winner: 'unknown' as const } : point));
  assert.match(
    comparisonSentence({ ...c, points: open, several: true }),
    /^socket is faster than sisci below .* KiB, sisci from .* to 2 KiB, no verdict at 4 KiB \(no interval\): /,
  );
  const grids = { ...c.x, unit: '' as const, noun: 'grid', text: String };
  assert.match(comparisonSentence({ ...c, x: grids }), /2\.0x at grid 512/, 'what is a bare number is named');
});

test('a ratio that prints as 1.00x has no winner, however narrow the intervals', () => {
  const equal = { 8: [100_000, 100_300], 16: [100_000, 100_400] } as Record<number, [number, number]>;
  assert.match(comparisonSentence(compared(equal, 0.0001)), /show no difference at any size: 1\.00x at 8 B/);
  assert.match(
    comparisonSentence(compared(equal, null)),
    /^socket and sisci have equal medians \(no interval/,
  );
});

test('the size after which the other is faster is not moved past a size without a winner', () => {
  const c = compared({ 8: [1000, 2000], 4096: [10_000, 10_050], 8192: [30_000, 20_000] });
  const { low, high } = only(c.crossovers);
  assert.ok(low <= 4096 && high >= 4096, `${low} ${high}`);
});

test('without intervals there is no verdict', () => {
  const c = compared({ 8: [4710, 520], 16: [4720, 520] }, null);
  assert.match(comparisonSentence(c), /smaller median at every size \(no interval, so no verdict\)/);
});

test('a size that only one of them measured is not compared', () => {
  const run = decreed({ 8: [4710, 520], 16: [4720, 520] }, 0.01);
  run.cells = run.cells.filter((cell) => cell.transport === 'socket' || bytesOf(cell) === 8);
  assert.deepEqual(
    only(groupsOf([run]).flatMap(comparisonsOf)).points.map((p) => p.x),
    [8],
  );
});

test('two media of the same kind are compared without the caveat', () => {
  const run = syntheticRun({ maxBytes: 64, transports: [{ ...socketPlan, medium: 'emulated' }, sisciPlan] });
  assert.doesNotMatch(only(comparisonSentences(groupsOf([run]))), /Dolphin/);
});

test('several series that agree share a sentence', () => {
  const run = syntheticRun({ collectives: ['allreduce', 'broadcast', 'allgather'], maxBytes: 64 });
  assert.match(
    only(comparisonSentences(groupsOf([run]))),
    /^sisci is faster than socket at every size of all 3 series: 9\.\dx/,
  );
});

test('over several runs the same transport is compared with itself, never socket of one with sisci of another', () => {
  const runs = [syntheticRun({ id: 'aaaaaa', maxBytes: 64 }), syntheticRun({ id: 'bbbbbb', maxBytes: 64 })];
  const pairs = groupsOf(runs)
    .flatMap(comparisonsOf)
    .map((c) => `${c.a.name} ${c.b.name}`);
  assert.deepEqual(pairs.sort(), [
    'aaaaaa sisci bbbbbb sisci',
    'aaaaaa socket aaaaaa sisci',
    'aaaaaa socket bbbbbb socket',
    'bbbbbb socket bbbbbb sisci',
  ]);
});

test('evidence and verification name the worst that was seen', () => {
  const run = syntheticRun({ maxBytes: 64 });
  const { plan } = run.record;
  assert.match(evidenceSentence(run.cells, plan), /^evidence: socket confirmed \(.*\) · sisci confirmed/);
  const cells = run.cells.filter((c): c is OkCell => c.status === 'ok');
  assert.equal(verificationSentence(cells), 'verified: 192 checks, 0 wrong');
  const [first] = cells;
  assert.ok(first !== undefined);
  first.evidence = { verdict: 'contradicted', reason: 'eth0 carried it' };
  first.verification.wrongElements = 7;
  assert.match(
    evidenceSentence(run.cells, plan),
    /socket contradicted at 1 of 4 configurations \(8 B: eth0 carried it\)/,
  );
  assert.match(verificationSentence(cells), /^WRONG DATA: 7 elements in 1 of 8 configurations/);
  const off = cells.map((c) => ({ ...c, verification: { ...c.verification, enabled: false, checks: 0 } }));
  assert.match(verificationSentence(off), /^not verified: checking was off/);
  assert.deepEqual(
    (({ cellsMeasured, cellsExpected, wrongElements }) => ({ cellsMeasured, cellsExpected, wrongElements }))(
      summarise(run),
    ),
    { cellsMeasured: 8, cellsExpected: 8, wrongElements: 7 },
  );
});
