// Chart of a series over the nights: a point with interval per night, the mean level between two changes as a line, and the
// changes.
import { modeLevelAt } from '../../results/history/modes.ts';
import type { HistoryNight } from '../../results/history/nights.ts';
import type { Trend } from '../../results/history/trend.ts';
import { valuesOfKey } from '../../results/schema/index.ts';
import {
  intervalSuffix,
  levelOf,
  levelText,
  marksOfNight,
  nounOf,
  runText,
  stepLabels,
} from '../history/texts.ts';
import { type ChartSize, chartSizes, dashOf, ink, palette } from '../theme.ts';
import { fileWords } from '../wording.ts';
import type { ChartFigure, ChartRow } from './chart.ts';
import { timeLabel } from './scales.ts';
import { type ChartSpec, textHalo, titleAbove, topLevel } from './spec.ts';

/** Maximum number of points in the chart; of a longer history the newest points are drawn. */
const maxPoints = 365;
/** Number of points above which the points are drawn smaller. */
const manyPoints = 120;
/**
 * Minimum range of the vertical axis: natural logarithm of its highest over its lowest value, about 4 %. With a smaller range noise
 * would look like a change.
 */
const minRange = 0.04;

/**
 * Returns the chart of a series' time (or its ratio to the reference build) over nights: one point for all runs of a day, for one
 * run, or for one commit. Of more than 365 nights the newest are drawn. Null if there is no night to draw.
 * @param since first night to be drawn: "2026-11-21"; "" = all
 */
export function trendFigure(trend: Trend, since: string): ChartFigure | null {
  const { group, title, regime, kind, medium, nights } = trend;
  const begin = nights.findIndex(({ night }) => night >= since);
  if (begin < 0) return null;
  const first = Math.max(begin, nights.length - maxPoints);
  const points = trendPoints(trend, first);
  const what = kind === 'time' ? 'Time (geometric mean over sizes)' : 'Time by time of the reference build';
  const cut = first > begin ? ` The last ${points.length} of ${nights.length - begin} are drawn.` : '';
  const emulated =
    medium === 'emulated' ? ' The medium is emulated: this does not show the speed of the real adapter.' : '';
  return {
    // The file name has only the values in the key of the size range, without the names of axes.
    name: `trend-${valuesOfKey(group).map(fileWords).join('-')}`,
    title: `${title}, ${messages(regime)} over the nights`,
    caption: `${what} of each ${nounOf(trend)} with its 95 % interval, where there were two launches or more; lines are the levels between changes. Hollow points: imported, or from a run that did not end well.${cut}${emulated}`,
    rows: points.map((point) => rowOf(trend, point)),
    spec: (size) => spec(trend, points, size),
  };
}

const messages = (regime: Trend['regime']): string =>
  regime === 'all' ? 'all points' : `${regime} messages`;

type TrendPoint = ReturnType<typeof trendPoints>[number];

/**
 * Returns the points of a chart over the nights, one per night: times in ns, or ratios to the reference build; `low` and `high` are
 * the 95 % interval. `level` is the mean time of the mode to which the night belongs if the series alternates between two modes,
 * else the mean of all nights between two changes (a segment). `stretch` is the index of this segment. A night outside all segments
 * has stretch -1 and, without modes, its own value as level.
 * @param first index of the first night to be drawn
 */
export const trendPoints = (trend: Trend, first: number) =>
  trend.nights.slice(first).map((night, i) => {
    const { log, interval } = levelOf(night, trend);
    const index = first + i;
    const stretch = trend.segments.findIndex(({ from, to }) => index >= from && index < to);
    return {
      index,
      night,
      value: Math.exp(log),
      low: interval === null ? null : Math.exp(interval.low),
      high: interval === null ? null : Math.exp(interval.high),
      level: Math.exp(modeLevelAt(trend.modes, index, log) ?? trend.segments[stretch]?.log ?? log),
      stretch,
    };
  });

/** Returns one night as a row of the chart's data: its time in µs, or its ratio to the reference build, with interval and level. */
function rowOf(trend: Trend, { night, value, low, high, level, stretch }: TrendPoint): ChartRow {
  const isTime = trend.kind === 'time';
  const [name, unit] = isTime ? ['Us', 1e-3] : ['Ratio', 1];
  return {
    night: night.night,
    [isTime ? 'timeUs' : 'ratio']: value * unit,
    [`low${name}`]: low === null ? null : low * unit,
    [`high${name}`]: high === null ? null : high * unit,
    [`level${name}`]: level * unit,
    stretch,
    launches: levelOf(night, trend).launches,
    runs: night.runs.map(({ id }) => id).join(' '),
    marks: marksOfNight(trend, night).join(', '),
  };
}

/** Remarks for which a night's point is drawn hollow: its results were imported, or a run of the night did not end well. */
const hollowMarks = ['imported', 'interrupted', 'failed', 'incomplete', 'no end'];

function tipOf(trend: Trend, night: HistoryNight): string {
  const level = levelOf(night, trend);
  const runs = night.runs.length === 1 ? `run ${runText(night.runs[0])}` : `${night.runs.length} runs`;
  const value = `${levelText(level.log, trend.kind)}${intervalSuffix(level)}`;
  return [`${night.night}: ${value}`, runs, ...marksOfNight(trend, night)].join(', ');
}

/**
 * Returns the range of the vertical axis: from the smallest to the largest point, with a margin. 95 % intervals that reach beyond
 * the range are cut off, because a range for the widest interval would put all points at nearly the same height.
 * @param values times or ratios of the drawn points
 */
function rangeOf(values: readonly number[]): [low: number, high: number] {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const span = Math.log(high / low);
  const margin = Math.exp(Math.max(minRange - span, span * 0.3) / 2);
  return [low / margin, high * margin];
}

/**
 * Returns an x axis with one position per night. Some positions have dates, always that of the newest night.
 * @param first index of the first drawn night
 */
function nightAxis({ by, nights }: Trend, first: number, size: ChartSize): object {
  const last = nights.length - 1;
  const step = Math.ceil((nights.length - first) / (size === 'narrow' ? 2 : by === 'day' ? 6 : 4));
  const places = Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, i) => last - i * step);
  const letters = size === 'narrow' || by === 'day' ? 10 : 16;
  const labels = Object.fromEntries(places.map((at) => [at, nights[at]?.night.slice(0, letters)]));
  return {
    field: 'index',
    type: 'quantitative',
    scale: { domain: [first - 0.5, last + 0.5], nice: false },
    axis: {
      title: null,
      grid: false,
      values: places,
      labelExpr: `(${JSON.stringify(labels)})[datum.value]`,
      labelFlush: true,
    },
  };
}

function spec(trend: Trend, points: readonly TrendPoint[], size: ChartSize): ChartSpec {
  const { width, height } = chartSizes[size];
  const { title, regime, kind, medium } = trend;
  const first = points[0]?.index ?? 0;
  const values = points.map(({ night, ...point }) => ({
    ...point,
    isMarked: [...night.notes, ...night.warnings].some((mark) => hollowMarks.includes(mark)),
    tip: tipOf(trend, night),
  }));
  const changes = stepLabels(trend)
    .filter(({ at }) => at >= first)
    .map(({ at, isSlower, text }) => ({ index: at, text: `${isSlower ? '▲' : '▼'} ${text}` }));
  const x = nightAxis(trend, first, size);
  const y = {
    type: 'quantitative',
    scale: {
      domain: rangeOf(points.map(({ value }) => value)),
      zero: false,
      nice: false,
      clamp: true,
    },
    axis: {
      title: kind === 'time' ? 'time' : 'time / time of the reference build',
      ...titleAbove,
      tickCount: 5,
      ...(kind === 'time' ? { labelExpr: timeLabel } : {}),
    },
  };
  const dated = { type: 'text', baseline: 'top', fontSize: 11, color: ink.text, aria: false, ...textHalo };
  // The text of a change in the right part of the chart is written left of its line, where there is room.
  const isLate = ({ index }: { index: number }) => index - first > 0.6 * points.length;
  const drawn = {
    data: { values },
    encoding: { x },
    layer: [
      {
        data: { values: changes },
        mark: { type: 'rule', color: palette.vermillion, strokeDash: [3, 3], aria: false },
        encoding: { x },
      },
      {
        mark: { type: 'line', color: ink.soft, strokeWidth: 1.6, strokeDash: dashOf(medium), aria: false },
        encoding: { y: { ...y, field: 'level' }, detail: { field: 'stretch' } },
      },
      {
        transform: [{ filter: 'isValid(datum.low)' }],
        mark: { type: 'rule', color: palette.blue, opacity: 0.45, aria: false },
        encoding: { y: { ...y, field: 'low' }, y2: { field: 'high' } },
      },
      {
        mark: {
          type: 'point',
          size: points.length > manyPoints ? 10 : 26,
          strokeWidth: 1.4,
          opacity: 1,
          stroke: palette.blue,
          aria: true,
        },
        encoding: {
          y: { ...y, field: 'value' },
          fill: { condition: { test: 'datum.isMarked', value: ink.paper }, value: palette.blue },
          description: { field: 'tip' },
        },
      },
      ...[false, true].map((late) => ({
        data: { values: changes.filter((one) => isLate(one) === late) },
        mark: { ...dated, ...(late ? { align: 'right', dx: -4 } : { align: 'left', dx: 4 }) },
        encoding: { x, y: { value: 0 }, text: { field: 'text' } },
      })),
    ],
  };
  return topLevel(`${title}, ${messages(regime)} over the nights`, drawn, {
    width,
    height: Math.round(height * 0.75),
  });
}
