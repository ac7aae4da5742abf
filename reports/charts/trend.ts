// Chart of a series over the nights: each night with its interval, the level of every segment, and changes.
import type { Trend } from '../../results/history/index.ts';
import { halfText, levelOf, levelText, marksOfNight, stepLabels } from '../history/texts.ts';
import { type ChartSize, chartSizes, dashOf, ink, palette } from '../theme.ts';
import { signedSpread } from '../wording.ts';
import type { ChartFigure, ChartRow } from './chart.ts';
import { type ChartSpec, titleAbove, topLevel } from './spec.ts';

/**
 * Returns the chart of a series' time (or its ratio to the reference build) over nights: one point for all runs of a day, for one
 * run, or for one commit. Null if no night is drawn.
 * @param since first night to be drawn: "2026-11-21"; "" = all
 */
export function trendFigure(trend: Trend, since: string): ChartFigure | null {
  const rows = rowsOf(trend, since);
  if (rows.length === 0) return null;
  const { group, title, regime, kind, medium } = trend;
  const what = kind === 'time' ? 'Time (geometric mean over sizes)' : 'Time by time of the reference build';
  const emulated =
    medium === 'emulated' ? ' The medium is emulated: this does not show the speed of the real adapter.' : '';
  return {
    // The file name has only the values of the group's key, without the names of axes.
    name: `trend-${group.replaceAll(/[^;=/]+=/g, '').replaceAll(/[^\w.]+/g, '-')}`,
    title: `${title}, ${messages(regime)} over the nights`,
    caption: `${what} of each night with its 95 % interval, where there were two launches or more; lines are the levels between changes. Hollow points: imported, or from a run that did not end well.${emulated}`,
    rows,
    spec: (size) => spec(trend, rows, since, size),
  };
}

const messages = (regime: Trend['regime']): string =>
  regime === 'all' ? 'all points' : `${regime} messages`;

function rowsOf(trend: Trend, since: string): ChartRow[] {
  return trend.nights.flatMap((night, index): ChartRow[] => {
    if (night.night < since) return [];
    const level = levelOf(night, trend);
    const { log, interval, launches } = level;
    const unit = trend.kind === 'time' ? 1e-3 : 1;
    const segment = trend.segments.findIndex(({ from, to }) => index >= from && index < to);
    const name = trend.kind === 'time' ? 'Us' : 'Ratio';
    return [
      {
        night: night.night,
        [trend.kind === 'time' ? 'timeUs' : 'ratio']: Math.exp(log) * unit,
        [`low${name}`]: interval === null ? null : Math.exp(interval.low) * unit,
        [`high${name}`]: interval === null ? null : Math.exp(interval.high) * unit,
        [`level${name}`]: Math.exp(trend.segments[segment]?.log ?? log) * unit,
        stretch: segment,
        launches,
        runs: night.runs.map(({ id }) => id).join(' '),
        marks: marksOfNight(trend, night).join(', '),
      },
    ];
  });
}

const ended = /\b(imported|interrupted|failed|no end)\b/;

function spec(trend: Trend, rows: readonly ChartRow[], since: string, size: ChartSize): ChartSpec {
  const { width, height } = chartSizes[size];
  const name = trend.kind === 'time' ? 'Us' : 'Ratio';
  const field = trend.kind === 'time' ? 'timeUs' : 'ratio';
  const shown = rows.map((row) => {
    const night = trend.nights.find(({ night }) => night === row.night);
    const level = night === undefined ? null : levelOf(night, trend);
    const half = level === null ? '' : halfText(level);
    const value = level === null ? '' : levelText(level.log, trend.kind);
    const marks = row.marks === '' ? '' : `, ${row.marks}`;
    return {
      ...row,
      isMarked: ended.test(String(row.marks)),
      tip: `${row.night}: ${value}${half === '' ? '' : ` ${signedSpread(half)}`}, run ${row.runs}${marks}`,
    };
  });
  const changes = stepLabels(trend)
    .map(({ at, text }) => ({ night: trend.nights[at]?.night ?? '', text }))
    .filter(({ night }) => night >= since);
  const x = {
    field: 'night',
    type: 'temporal',
    scale: { type: 'utc', padding: 8 },
    axis: {
      title: null,
      grid: false,
      tickCount: size === 'wide' ? 8 : 4,
      format: '%Y-%m-%d',
      labelFlush: true,
    },
  };
  const axis = {
    title: trend.kind === 'time' ? 'time (µs)' : 'time / time of the reference build',
    ...titleAbove,
    tickCount: 6,
  };
  const y = { type: 'quantitative', scale: { zero: false, nice: true }, axis };
  const dash = dashOf(trend.medium);
  const drawn = {
    data: { values: shown },
    encoding: { x },
    layer: [
      {
        data: { values: changes },
        mark: { type: 'rule', color: palette.vermillion, strokeDash: [3, 3], aria: false },
        encoding: { x },
      },
      {
        data: { values: changes },
        mark: {
          ...{ type: 'text', align: 'left', baseline: 'top', dx: 4, fontSize: 11, aria: false },
          color: palette.vermillion,
        },
        encoding: { x, y: { value: 0 }, text: { field: 'text' } },
      },
      {
        mark: { type: 'line', color: ink.soft, strokeWidth: 1.6, strokeDash: dash, aria: false },
        encoding: { y: { ...y, field: `level${name}` }, detail: { field: 'stretch' } },
      },
      {
        transform: [{ filter: `isValid(datum.low${name})` }],
        mark: { type: 'rule', color: palette.blue, opacity: 0.45, aria: false },
        encoding: { y: { ...y, field: `low${name}` }, y2: { field: `high${name}` } },
      },
      {
        mark: { type: 'point', size: 26, strokeWidth: 1.4, stroke: palette.blue, aria: true },
        encoding: {
          y: { ...y, field },
          fill: { condition: { test: 'datum.isMarked', value: ink.paper }, value: palette.blue },
          description: { field: 'tip' },
        },
      },
    ],
  };
  return topLevel(`${trend.title}, ${messages(trend.regime)} over the nights`, drawn, { width, height });
}
