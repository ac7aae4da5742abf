// Charts of a recorded job: the time that ranks spent inside calls, and a timeline of all ranks in a short interval.
import type { RecordingTimeline } from '../../results/record/index.ts';
import type { ChartFigure, ChartRow } from '../charts/chart.ts';
import { type ChartSpec, topLevel } from '../charts/spec.ts';
import { type ChartSize, chartSizes, ink, palette } from '../theme.ts';
import { formatPercent, formatTime, plural } from '../wording.ts';
import { callTimeNs, nameOf } from './calls.ts';

/** Maximum number of bars in the chart of times inside calls; the table has all functions and sizes. */
const maxBars = 10;

/**
 * Draws the time that all ranks of a recorded job together spent inside calls, one bar per function and size, longest first. Ten
 * bars are drawn, all are in the chart's data. Null if no call took time.
 */
export function callTimeFigure({ totals }: RecordingTimeline): ChartFigure | null {
  const bars = totals
    .map((total) => ({ total, ns: callTimeNs(total) }))
    .filter(({ ns }) => ns > 0)
    .sort((a, b) => b.ns - a.ns);
  if (bars.length === 0) return null;
  const all = bars.reduce((sum, { ns }) => sum + ns, 0);
  const rows = bars.map(
    ({ total, ns }): ChartRow => ({
      call: nameOf(total),
      function: total.function,
      bytes: total.bytesEach,
      calls: total.calls,
      insideNs: ns,
      share: ns / all,
    }),
  );
  const rest = bars.length - maxBars;
  const more =
    rest > 0 ? ` ${plural(rest, 'more kind')} of calls ${rest === 1 ? 'is' : 'are'} in the table.` : '';
  return {
    name: 'recorded-inside',
    title: 'Time inside calls, by function and size',
    caption: `Of all ranks together, waiting for other ranks included${totals.some(({ timed }) => timed > 0) ? '; of kernels where NCCL timed some, as much for the others of their kind' : ''}.${more}`,
    rows,
    spec: (size) => barSpec(rows.slice(0, maxBars), size),
  };
}

function barSpec(rows: readonly ChartRow[], size: ChartSize): ChartSpec {
  const values = rows.map((row) => {
    const ns = Number(row.insideNs);
    const text = `${formatTime(ns)}, ${formatPercent(Number(row.share))}`;
    return { call: row.call, ms: ns / 1e6, text, tip: `${row.call}: ${text}, ${row.calls} calls` };
  });
  const most = Math.max(...values.map(({ ms }) => ms));
  const drawn = {
    data: { values },
    encoding: {
      y: { field: 'call', type: 'nominal', sort: null, axis: { title: null, labelLimit: 220, ticks: false } },
      x: {
        field: 'ms',
        type: 'quantitative',
        // The axis is longer than the longest bar, to leave space for the text behind this bar.
        scale: { domain: [0, most * (size === 'wide' ? 1.25 : 1.6)], nice: false },
        axis: { title: 'time inside (ms)', tickCount: size === 'wide' ? 6 : 3 },
      },
    },
    layer: [
      {
        mark: { type: 'bar', color: palette.blue, height: { band: 0.7 }, aria: true },
        encoding: { description: { field: 'tip' } },
      },
      {
        mark: { type: 'text', align: 'left', dx: 4, color: ink.text, aria: false },
        encoding: { text: { field: 'text' } },
      },
    ],
  };
  const { width } = chartSizes[size];
  return topLevel('Time inside calls by function and size', drawn, {
    width,
    height: 34 * Math.max(2, rows.length),
  });
}

/**
 * Draws the calls of all ranks in a short interval of a recorded job on one time axis. The chart shows which ranks wait in a call
 * for others. Null if no calls are known.
 */
export function timelineFigure({ stretch, isOnDevice }: RecordingTimeline): ChartFigure | null {
  if (stretch.length === 0) return null;
  const fromNs = Math.min(...stretch.map((one) => one.fromNs));
  const rows = stretch.map(
    (one): ChartRow => ({
      rank: one.rank,
      function: one.function,
      bytes: one.bytes,
      fromNs: one.fromNs - fromNs,
      untilNs: one.untilNs - fromNs,
    }),
  );
  const clock = isOnDevice
    ? 'Kernels by the clock of each device; the first timed call of a rank is put where it was called.'
    : 'Calls by the clock of the host.';
  return {
    name: 'recorded-stretch',
    title: 'A stretch from the middle of the job',
    caption: `A bar is a call, a line a rank: who comes early waits inside. ${clock} The whole is in timeline.json, for ui.perfetto.dev or chrome://tracing.`,
    rows,
    hasLongTable: rows.length > 60,
    spec: (size) => stretchSpec(rows, size),
  };
}

function stretchSpec(rows: readonly ChartRow[], size: ChartSize): ChartSpec {
  const functions = [...new Set(rows.map((row) => String(row.function)))];
  const colours = [
    palette.blue,
    palette.orange,
    palette.green,
    palette.purple,
    palette.sky,
    palette.vermillion,
  ];
  const values = rows.map((row) => {
    const [from, until] = [Number(row.fromNs), Number(row.untilNs)];
    return {
      rank: `rank ${row.rank}`,
      function: row.function,
      fromMs: from / 1e6,
      untilMs: until / 1e6,
      tip: `rank ${row.rank}, ${nameOf({ function: String(row.function), bytesEach: Number(row.bytes) })}: ${formatTime(until - from)}`,
    };
  });
  const ranks = new Set(values.map(({ rank }) => rank)).size;
  const drawn = {
    data: { values },
    mark: { type: 'bar', height: { band: 0.62 }, stroke: ink.paper, strokeWidth: 0.7, aria: true },
    encoding: {
      y: { field: 'rank', type: 'nominal', sort: null, axis: { title: null, ticks: false } },
      x: {
        field: 'fromMs',
        type: 'quantitative',
        axis: { title: 'time (ms)', tickCount: size === 'wide' ? 8 : 4 },
      },
      x2: { field: 'untilMs' },
      color: {
        field: 'function',
        type: 'nominal',
        sort: null,
        scale: { domain: functions, range: functions.map((_, i) => colours[i % colours.length]) },
        legend:
          functions.length < 2 ? null : { title: null, orient: 'top', columns: size === 'wide' ? 5 : 2 },
      },
      description: { field: 'tip' },
    },
  };
  const { width } = chartSizes[size];
  return topLevel('Calls of all ranks over time', drawn, { width, height: 26 * Math.max(2, ranks) });
}
