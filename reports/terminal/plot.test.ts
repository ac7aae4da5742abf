import assert from 'node:assert/strict';
import { test } from 'node:test';
import { syntheticRun } from '../fixtures/synthetic.ts';
import { p2pRun } from '../fixtures/workloads.ts';
import { runPlots } from '../plots/run.ts';
import { plotText, type TerminalPlot } from './plot.ts';
import { type PlotAxis, scaleOf, ticksOf } from './plot-scale.ts';

const log10: PlotAxis = { title: 'time (log)', isLog: true, text: (y) => `${y} ns` };
const linear: PlotAxis = { title: 'change', isLog: false, text: (y) => `${y} %` };
const sizes: PlotAxis = { title: 'size (log)', isLog: true, base: 2, text: (x) => `${x} B` };

const line: TerminalPlot = {
  title: 'Time of one thing',
  x: sizes,
  y: log10,
  series: [
    {
      label: 'socket',
      points: [8, 64, 512, 4096].map((x, i) => ({ x, y: 100 * 10 ** i, low: null, high: null })),
    },
    { label: 'sisci EMULATED', points: [8, 64, 512, 4096].map((x, i) => ({ x, y: 1e5 / 10 ** i })) },
  ],
};
const shape = { columns: 50, ascii: false, color: false };

test('a chart has its title, units on both axes, a sign for each series, and what is emulated by name', () => {
  const text = plotText(line, { ...shape, ascii: true });
  assert.match(text, /^time \(log\)$/m);
  assert.match(text, /^ {2}o socket {3}x sisci EMULATED$/m);
  assert.match(text, /^ *size \(log\)$/m);
  assert.match(text, /^ *100 ns \+o +x$/m);
  assert.match(text, /^ +8 B .*2048 B$/m);
});

for (const columns of [40, 50, 80, 120]) {
  test(`runs fit ${columns} columns, in ASCII and not`, () => {
    for (const run of [syntheticRun(), p2pRun(4096)])
      for (const plot of runPlots(run).plots)
        for (const ascii of [true, false]) {
          const text = plotText(plot, { columns, ascii, color: false });
          for (const one of text.split('\n')) assert.ok([...one].length <= columns, one);
          // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what ASCII is
          assert.equal(/^[\x00-\x7f]*$/.test(text), ascii, text);
        }
  });
}

test('a run is drawn by the figure of its workload; signs differ, emulated is said', () => {
  const [plot] = runPlots(syntheticRun()).plots;
  assert.ok(plot !== undefined);
  const text = plotText(plot, { ...shape, columns: 80 });
  assert.match(text, /^Bus bandwidth of allreduce float32 sum\nbus bandwidth \(log\)\n/);
  assert.match(text, /1\.00 GB\/s ┤/);
  assert.match(text, / {2}● socket {3}■ sisci EMULATED\n {2}95 % intervals, typical ±\d/);
});

test('colour goes around signs and takes no room', () => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are such
  const bare = (text: string) => text.replaceAll(/\u001b\[\d+m/g, '');
  const coloured = plotText(line, { ...shape, color: true });
  assert.notEqual(coloured, bare(coloured));
  assert.equal(bare(coloured), plotText(line, shape));
});

test('intervals, levels and steps are lines behind the points; points of several series have a sign of their own', () => {
  const text = plotText(
    {
      ...{ title: 'x', x: { ...linear, title: 'night' }, y: linear },
      series: [
        { label: 'a', points: [0, 10, 20].map((x) => ({ x, y: x, low: x - 3, high: x + 3 })) },
        { label: 'b', points: [{ x: 10, y: 10 }] },
      ],
      levels: [{ y: 5, from: 0, to: 10 }],
      steps: [15],
    },
    { ...shape, ascii: true },
  );
  assert.match(text, /#/);
  assert.match(text, /^ {2}o a {3}x b {3}# several$/m);
  assert.match(text, /--/);
  assert.equal([...text.matchAll(/:/g)].length, 11);
});

test('one point, equal points and none', () => {
  const one = (points: { x: number; y: number }[]) =>
    plotText({ ...line, series: [{ label: 'a', points }] }, { ...shape, ascii: true });
  assert.match(one([{ x: 8, y: 5 }]), /o/);
  assert.match(
    one([
      { x: 8, y: 5 },
      { x: 16, y: 5 },
    ]),
    /o +o/,
  );
  assert.equal(one([]), '');
});

test('ticks are round: powers on a logarithmic axis, 1, 2 and 5 where it has less than two', () => {
  assert.deepEqual(ticksOf(scaleOf([3, 5000], log10), log10, 5), [10, 100, 1000]);
  assert.deepEqual(ticksOf(scaleOf([8, 8192], sizes), sizes, 4), [8, 64, 512, 4096]);
  assert.deepEqual(ticksOf(scaleOf([15, 60], log10), log10, 5), [20, 50]);
  assert.deepEqual(ticksOf(scaleOf([-4, 12], linear), linear, 4), [0, 5, 10]);
});
