import { type MeasuredFigure, type OkCell, trialOf, whatOf, xOf } from '../../results/schema/index.ts';
import { importedTime, isImported } from '../imported.ts';
import { chartedRow, derivedRows, fieldOf, figureText } from '../rows.ts';
import { figureOf, isOk, isOnDevice, rateOf, type Series, type SeriesGroup } from '../series.ts';
import type { ChartSize } from '../theme.ts';
import { chosenText, formatTime, plusMinus } from '../wording.ts';
import type { ChartSpec } from './spec.ts';

/** One value of a chart's data; `null` and text as CSV writes them. */
export type ChartRow = Record<string, string | number | null>;

/** What is said of one point beside the drawing, found by its `tip`. */
export interface AboutPoint {
  tip: string;
  transport: string;
  /** The operation: "allreduce". */
  what: string;
  x: number;
  /** x in words: "64 KiB". */
  at: string;
  /** The point is this figure; absent where it is made of several. */
  figure?: MeasuredFigure;
  /** Of its samples: `distributionKey`. */
  samples?: string;
}

/** What a chart shows, complete: what it is called, the words under it, its data and how it is drawn. */
export interface ChartFigure {
  /** File name without ending: "allreduce-float32-sum-out-busbw". */
  name: string;
  title: string;
  caption: string;
  /** Numbers of the chart in full precision with the unit in the name; also the CSV beside it. */
  rows: ChartRow[];
  /** Too many rows for a table in the page: they are in the CSV alone. */
  hasLongTable?: boolean;
  spec(size: ChartSize): ChartSpec;
  /** For those who filter and point: what its marks are. */
  points?: readonly AboutPoint[];
  /** The machine that it is of, where it is of one alone. */
  host?: string;
}

/** A chart of one group (reports/charts/index.ts), or `null` where the group has nothing to show in it. */
export interface GroupChart {
  id: string;
  /** Compares series of one group: groups that share a chapter have one each. */
  isAlone?: boolean;
  /** Compares numbers of ranks or settings of series: drawn of the whole group, never of its panels. */
  isWhole?: boolean;
  draw(group: SeriesGroup): ChartFigure | null;
}

/** One measured point of a series. */
export interface ChartPoint {
  series: Series;
  cell: OkCell;
  figure: MeasuredFigure;
  timeNs: number;
  lowNs: number | null;
  highNs: number | null;
  /** Derived figures by name. */
  rates: Readonly<Record<string, number | null>>;
  /** As charts and CSV files want it. */
  row: ChartRow;
}

/** Points of a group in order; those at x = 0 are left out because a log axis has no place for it. */
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
            // Points of one unbroken stretch of line share it: no hole between them, one algorithm and protocol.
            stretch: `${series.key}#${stretch}`,
            tip: `${series.name}, ${x.text(at)}: ${formatTime(timeNs, 'µs')}${spread}${rated}`,
          },
        },
      ];
    });
  });
}

/** Of one run the samples of one trial of one configuration. */
export const distributionKey = (
  run: string,
  cell: { point: number; transport: string; group?: { index: number } | undefined },
  trial: string,
): string => [run, cell.point, cell.transport, cell.group?.index ?? '', trial].join('/');

/** Of points that are measured figures themselves, or rates made of one. */
export const aboutPoints = (points: readonly ChartPoint[], group: SeriesGroup): AboutPoint[] =>
  points.map(({ series, cell, figure, row }) => ({
    ...aboutCell(String(row.tip), series, cell, group),
    figure,
    samples: distributionKey(series.run.id, cell, trialOf(group.row, figure.name)),
  }));

/** Of a point that is made of what was measured of this configuration. */
export const aboutCell = (tip: string, series: Series, cell: OkCell, group: SeriesGroup): AboutPoint => ({
  tip,
  transport: series.transport,
  what: whatOf(group.row, cell.axes),
  ...(({ value: x }) => ({ x, at: group.x.text(x) }))(xOf(group.row, cell.axes) ?? { value: 0 }),
});

/** The columns of a point that belong into a CSV. */
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

/** What the captions of all line charts end in. */
export function readingHint(group: SeriesGroup): string {
  const emulated = group.series.some((s) => s.medium === 'emulated')
    ? ' Dashed lines are emulated: they do not show the speed of the real adapter.'
    : '';
  const switches = group.series.some(
    (s) => new Set(s.slots.flatMap((x) => (isOk(x.cell) ? [chosenText(x.cell.choice)] : []))).size > 1,
  );
  const broken = switches ? ' Lines break where the algorithm or protocol changes.' : '';
  const bands = isImported(group)
    ? 'There are no intervals: the samples are not available.'
    : 'Bands are 95 % intervals.';
  return `${bands}${broken}${emulated}`;
}
