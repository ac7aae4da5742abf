import { type FigureData, parseSeriesName } from '../../results/schema/index.ts';
import { publishedFor } from '../published.ts';
import { fieldOf, figureText, type XAxisFormat } from '../rows.ts';
import {
  cellAt,
  figureOf,
  groupOfFigure,
  nameWith,
  rateOf,
  type Series,
  type SeriesGroup,
  xsOf,
} from '../series.ts';
import { capitalise, formatBytes, plusMinus } from '../wording.ts';
import type { ChartFigure, ChartRow, GroupChart } from './chart.ts';
import { trialPhrase, withInterval, withoutDrawing } from './chart.ts';
import { legendSeriesOf } from './legend.ts';
import { type HorizontalRule, overX } from './over-x.ts';
import { rateAxis } from './scales.ts';
import { screenForms } from './screen-forms.ts';

/**
 * Numeric settings of GPU kernels that can be an x axis. The chart has the first setting in this list of which several values have
 * a rate at the largest x.
 */
const axes: readonly (XAxisFormat & { setting: string })[] = [
  axis('packet', 'packet', 'packetBytes', 'B', formatBytes),
  axis('blocks', 'thread blocks', 'blocks', '', String),
  axis('threads', 'threads of a block', 'threads', '', String),
];

function axis(
  setting: string,
  title: string,
  field: string,
  unit: 'B' | '',
  text: (value: number) => string,
) {
  return { setting, unit, noun: title, title, field, base: 2 as const, text, short: text, about: text };
}

const settingsOf = ({ run, transport }: Series): Readonly<Record<string, string>> =>
  run.plan.transports.find(({ name }) => name === transport)?.settings ?? {};

/**
 * Returns the name of a series without one of its settings: "p2p@ring, blocks 16". It is the name of the line on which only this
 * setting varies.
 */
function nameWithoutSetting(series: Series, setting: string): string {
  const kept = Object.entries(settingsOf(series)).filter(([name]) => name !== setting && name !== 'algo');
  const words = kept
    .filter(([one]) => one !== 'signal')
    .map(([one, value]) => `${one} ${one === 'packet' ? formatBytes(Number(value)) : value}`);
  const { signal } = parseSeriesName(series.transport).settings;
  const signalText = signal === undefined ? [] : [`signal ${signal}`];
  return [nameWith(series, { settings: {} }), ...words, ...signalText].join(', ');
}

/** A series with its value of a setting (`value`), and the name of the line to which the series belongs (`label`). */
export interface SettingPoint {
  series: Series;
  value: number;
  label: string;
}

/**
 * Returns the first kernel setting of which several values have the rate at the largest x, with that x and a chart row for each
 * such series. Null if there is no such setting.
 */
function firstVaryingSetting(
  group: SeriesGroup,
  of: FigureData,
): { axis: XAxisFormat; x: number; rows: ChartRow[] } | null {
  for (const { setting, ...axis } of axes) {
    const points = group.series.flatMap((series): SettingPoint[] => {
      const value = settingsOf(series)[setting];
      return value === undefined
        ? []
        : [{ series, value: Number(value), label: nameWithoutSetting(series, setting) }];
    });
    const x = Math.max(...xsOf(points.map(({ series }) => series)));
    const rows = rowsOver(group, of, { axis, points }, x);
    if (new Set(rows.map((row) => row[axis.field])).size > 1) return { axis, x, rows };
  }
  return null;
}

/**
 * Creates a chart of a rate over a setting of GPU kernels, at the largest x. The setting is the first of packet size, blocks and
 * threads of which several values have the rate at that x. Each combination of the other settings has a line. `draw` returns null
 * if there is no such setting.
 */
export const overSetting = (of: FigureData): GroupChart => ({
  id: `${of.name}-by-setting`,
  chapter: 'bandwidth',
  isAlone: true,
  isWhole: true,
  draw(given) {
    const group = groupOfFigure(given, of);
    const found = firstVaryingSetting(group, of);
    if (found === null) return null;
    const { axis, x, rows } = found;
    const published = publishedFor(group, of.name);
    const noun = capitalise(of.title);
    const best = rows.reduce((a, b) => (Number(b[fieldOf(of)]) > Number(a[fieldOf(of)]) ? b : a));
    return {
      name: `${group.key}-${of.name}-by-${axis.field}`,
      title: `${noun} of ${group.title} at ${group.x.text(x)} by ${axis.title}`,
      caption: `t is the ${trialPhrase(group)}. The best is ${String(best.tip)}. The vertical axis is linear and starts at 0. Bands are 95 % intervals.${published.sentence}`,
      rows: withoutDrawing(rows),
      spec: specOver(of, axis, rows, {
        description: `${noun} of ${group.title} at ${group.x.text(x)} over ${axis.title}`,
        rules: published.rules,
      }),
    };
  },
});

/**
 * Returns chart rows of a rate at one x over a setting, in ascending order of the setting. A series without the rate at that x has
 * no row.
 */
export function rowsOver(
  group: SeriesGroup,
  of: FigureData,
  { axis, points }: { axis: XAxisFormat; points: readonly SettingPoint[] },
  x: number,
): ChartRow[] {
  const rows = points.flatMap(({ series, value, label }): ChartRow[] => {
    const cell = cellAt(series, x);
    const [rate, figure] = [rateOf(cell, group, of.name), figureOf(cell, group)];
    if (figure === null || rate === null) return [];
    const { interval, value: timeNs } = figure;
    const { low, high } = withInterval(rate, figure);
    const spread = interval === null ? '' : ` ${plusMinus(timeNs, interval)}`;
    return [
      {
        series: label,
        transport: series.transport,
        medium: series.medium,
        [group.x.field]: x,
        [axis.field]: value,
        [fieldOf(of)]: rate,
        low,
        high,
        timeNs,
        stretch: label,
        tip: `${label}, ${axis.noun} ${axis.text(value)}: ${figureText(of.unit, rate)}${spread}`,
      },
    ];
  });
  return rows.sort((a, b) => Number(a[axis.field]) - Number(b[axis.field]));
}

/** Returns the function that makes the specification of a chart of a rate over a setting, in its wide or narrow form. */
export const specOver =
  (
    of: FigureData,
    axis: XAxisFormat,
    rows: readonly ChartRow[],
    more: { description: string; rules?: readonly HorizontalRule[] },
  ): ChartFigure['spec'] =>
  (size) =>
    overX({
      x: axis,
      rows,
      series: legendSeriesOf(rows),
      form: screenForms[size],
      y: {
        field: fieldOf(of),
        low: 'low',
        high: 'high',
        ...rateAxis(of),
        scale: { zero: true, nice: true },
      },
      ...more,
    });
