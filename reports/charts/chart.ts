import { type MeasuredFigure, type OkCell, trialOf, whatOf, xOf } from '../../results/schema/index.ts';
import type { ChapterId } from '../chapter-ids.ts';
import { importedTime, isImported } from '../imported.ts';
import { chartedRow, derivedRows, fieldOf, figureText } from '../rows.ts';
import { figureOf, isOk, isOnDevice, rateOf, type Series, type SeriesGroup } from '../series.ts';
import type { ChartSize } from '../theme.ts';
import { chosenText, formatTime, plusMinus } from '../wording.ts';
import type { ChartSpec } from './spec.ts';

/** One row of a chart's data by field name; the CSV file of the chart has the same values. `null` = no value. */
export type ChartRow = Record<string, string | number | null>;

/**
 * Data about one drawn point, for the filter and tooltips of the HTML page. `tip` is the tooltip text, which also identifies
 * the drawn mark.
 */
export interface AboutPoint {
  tip: string;
  transport: string;
  /** Name of the operation that the point belongs to: "allreduce". */
  what: string;
  x: number;
  /** The point's `x` as text: "64 KiB". */
  at: string;
  /**
   * The measured time (with interval and quantiles) that the point shows, or from which its rate is computed; absent if the point
   * shows something else, such as a ratio of two times or the time of one launch.
   */
  figure?: MeasuredFigure;
  /** Key of the samples of `figure`, as `distributionKey` returns it; absent like `figure`. */
  samples?: string;
}

/** A complete chart: title, caption, data and drawing. */
export interface ChartFigure {
  /** File name without ending: "allreduce-float32-sum-out-busbw". */
  name: string;
  title: string;
  caption: string;
  /** Data of the chart in full precision, with the unit in each field name. The chart's CSV file has the same rows. */
  rows: ChartRow[];
  /** True if the chart has too many rows for a table in the page; the page then has no data table, only a CSV file. */
  hasLongTable?: boolean;
  spec(size: ChartSize): ChartSpec;
  /**
   * The points behind the drawn marks, for the filter and tooltips of the HTML page; absent if the chart does not support
   * them.
   */
  points?: readonly AboutPoint[];
  /** Name of the host that the chart shows; absent if it shows no host or several. */
  host?: string;
}

/**
 * A kind of chart that can be drawn for each group of series. `draw` returns null if the group has no data for it. `id`: unique
 * name of the kind, such as "time".
 */
export interface GroupChart {
  id: string;
  /** Chapter of the report in which the chart appears. */
  chapter: ChapterId;
  /** True if the caption names the places where lines break because the algorithm or protocol changes. Default: false. */
  hasBreaks?: boolean;
  /**
   * True if the chart compares series of one original group. If a chapter has merged several groups, each of them gets its own
   * chart. Default: false.
   */
  isAlone?: boolean;
  /**
   * True if the chart compares rank counts or settings. It is then drawn once for the whole group, not once per rank count.
   * Default: false.
   */
  isWhole?: boolean;
  draw(group: SeriesGroup): ChartFigure | null;
}

/**
 * One measured configuration of a series, as a point of charts over x (mostly message size). `figure` is the time that the group's
 * charts show; `timeNs` is its value, `lowNs` and `highNs` are the ends of its 95 % interval (null without an interval).
 */
export interface ChartPoint {
  series: Series;
  cell: OkCell;
  figure: MeasuredFigure;
  timeNs: number;
  lowNs: number | null;
  highNs: number | null;
  /** Values derived from the time, such as bandwidths in GB/s, by name; null if the configuration lacks the value. */
  rates: Readonly<Record<string, number | null>>;
  /**
   * Row of the chart's data: series, transport, medium, x, time with interval in ns, rates. Its fields `stretch` and `tip` are only
   * for the drawing, so the CSV file lacks them.
   */
  row: ChartRow;
}

/**
 * Returns the measured points of all series in the group, series by series in ascending x. Points at x = 0 are left out because a
 * logarithmic axis cannot show 0. They and points without the group's time break the line, as a change of algorithm or protocol
 * does.
 */
export function pointsOf(group: SeriesGroup): ChartPoint[] {
  const { row, x } = group;
  const derived = derivedRows(row);
  const charted = chartedRow(row);
  return group.series.flatMap((series) => {
    let stretch = 0;
    let choice: string | null = null;
    return series.slots.flatMap(({ cell, x: at }): ChartPoint[] => {
      const figure = figureOf(cell, group);
      if (figure === null || at === 0 || !isOk(cell)) {
        stretch++;
        return [];
      }
      const chosen = chosenText(cell.choice);
      if (choice !== null && choice !== chosen) stretch++;
      choice = chosen;
      const { interval, value: timeNs } = figure;
      const [lowNs, highNs] = [interval?.low ?? null, interval?.high ?? null];
      const rates = Object.fromEntries(derived.map(({ name }) => [name, rateOf(cell, group, name)]));
      const spread = interval === null ? '' : ` ${plusMinus(timeNs, interval)}`;
      const rate = charted === undefined ? null : (rates[charted.name] ?? null);
      const rated =
        charted === undefined || rate === null ? '' : `, ${charted.title} ${figureText(charted.unit, rate)}`;
      return [
        {
          series,
          cell,
          figure,
          timeNs,
          lowNs,
          highNs,
          rates,
          row: {
            series: series.label,
            transport: series.transport,
            medium: series.medium,
            [x.field]: at,
            timeNs,
            lowNs,
            highNs,
            ...Object.fromEntries(derived.map((one) => [fieldOf(one), rates[one.name] ?? null])),
            // A line joins points with the same `stretch`: all points between them were measured, with one algorithm and protocol.
            stretch: `${series.key}#${stretch}`,
            tip: `${series.name}, ${x.text(at)}: ${formatTime(timeNs)}${spread}${rated}`,
          },
        },
      ];
    });
  });
}

/** A value of a chart with the ends of its 95 % interval; `low` and `high` are null without an interval. */
export interface ChartValue {
  value: number;
  low: number | null;
  high: number | null;
}

/**
 * Returns a rate with its interval, which follows from the interval of the time because the rate is inversely proportional to the
 * time. `low` and `high` are null without an interval, or if its low end is not positive.
 */
export function withInterval(rate: number, { value: timeNs, interval }: MeasuredFigure): ChartValue {
  if (interval === null || interval.low <= 0) return { value: rate, low: null, high: null };
  return { value: rate, low: (rate * timeNs) / interval.high, high: (rate * timeNs) / interval.low };
}

/**
 * Returns the key under which the samples of one configuration are stored in a report page: run, point, transport, group of ranks
 * and trial, joined by "/".
 * @param run id of the run
 * @param cell `point`: index of the point in the run's plan
 * @param trial "isolated" or "pipelined"
 */
export const distributionKey = (
  run: string,
  cell: { point: number; transport: string; group?: { index: number } | undefined },
  trial: string,
): string => [run, cell.point, cell.transport, cell.group?.index ?? '', trial].join('/');

/** Returns data for filter and tooltips of the HTML page about points that show a measured time or a rate derived from it. */
export const aboutPoints = (points: readonly ChartPoint[], group: SeriesGroup): AboutPoint[] =>
  points.map(({ series, cell, figure, row }) => ({
    ...aboutCell(String(row.tip), series, cell, group),
    figure,
    samples: distributionKey(series.run.id, cell, trialOf(group.row, figure.name)),
  }));

/**
 * Returns the data for the page's filter and tooltips about a point that is computed from measurements of this configuration,
 * without `figure` and `samples`. A configuration without an x has x 0.
 * @param tip tooltip text, which also identifies the drawn mark
 */
export const aboutCell = (tip: string, series: Series, cell: OkCell, group: SeriesGroup): AboutPoint => ({
  tip,
  transport: series.transport,
  what: whatOf(group.row, cell.axes),
  ...(({ value: x }) => ({ x, at: group.x.text(x) }))(xOf(group.row, cell.axes) ?? { value: 0 }),
});

/** Returns the rows of a CSV file: the chart's rows without the fields `stretch` and `tip`, which only the drawing needs. */
export function withoutDrawing(rows: readonly ChartRow[]): ChartRow[] {
  return rows.map(({ stretch: _stretch, tip: _tip, ...rest }) => rest);
}

export function trialPhrase(group: SeriesGroup): string {
  if (isImported(group)) return `time (${importedTime(group)})`;
  if (trialOf(group.row, group.figure) !== 'isolated') return 'median interval of pipelined operations';
  return isOnDevice(group)
    ? 'median latency of one operation on the GPUs'
    : 'median time of one isolated operation';
}

/**
 * Returns sentences, in one text, for the caption of a line chart: meaning of bands (or why imported runs have none), breaks and
 * dashed lines. Sentences that do not apply are left out.
 */
export function readingHint(group: SeriesGroup): string {
  const emulated = group.series.some((s) => s.medium === 'emulated')
    ? ' Dashed lines are emulated: they do not show the speed of the real adapter.'
    : '';
  const bands = isImported(group)
    ? 'There are no intervals: the samples are not available.'
    : 'Bands are 95 % intervals.';
  return `${[bands, ...breakSentence(group)].join(' ')}${emulated}`;
}

/** Returns a list with the sentence about breaks of lines; empty if no series of the group changes its algorithm or protocol. */
export const breakSentence = ({ series }: SeriesGroup): string[] =>
  series.some(
    ({ slots }) =>
      new Set(slots.flatMap(({ cell }) => (isOk(cell) ? [chosenText(cell.choice)] : []))).size > 1,
  )
    ? ['Lines break where the algorithm or protocol changes.']
    : [];
