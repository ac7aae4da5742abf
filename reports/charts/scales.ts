// Scales, ticks and titles of axes.
import type { FigureData } from '../../results/schema/index.ts';
import type { ChartRow } from './chart.ts';

/** Returns all numbers that chart rows have in the given fields, row by row; other values, such as null, are left out. */
export const numbersIn = (rows: readonly ChartRow[], ...fields: string[]): number[] =>
  rows.flatMap((row) =>
    fields.map((field) => row[field]).filter((value): value is number => typeof value === 'number'),
  );

/**
 * Scale and ticks of a vertical axis. `values`: positions of ticks; absent if Vega chooses them. `format`: number format of the
 * tick labels in D3's notation; absent = Vega's default.
 */
export interface AxisScale {
  scale: { domain?: [low: number, high: number] } & Record<string, unknown>;
  values?: number[];
  format?: string;
}

/**
 * Returns a logarithmic scale, such as one of times. Its ends, ticks and grid lines are the powers of ten around all positive
 * values. At least one value must be positive.
 */
export function decadeScale(values: readonly number[]): AxisScale & { values: number[] } {
  const ticks = decades(values);
  const domain: [number, number] = [ticks[0] ?? 1, ticks.at(-1) ?? 10];
  return { scale: { type: 'log', domain, nice: false }, values: ticks };
}

/** Returns the consecutive powers of ten, at least two, that enclose all positive values. */
function decades(values: readonly number[]): number[] {
  const logs = values.filter((value) => value > 0).map(Math.log10);
  const low = Math.floor(Math.min(...logs));
  const high = Math.max(low + 1, Math.ceil(Math.max(...logs)));
  return Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i));
}

/** Returns the powers of ten within a range. They are the ticks of a logarithmic axis that does not end at powers of ten. */
export const decadesWithin = (low: number, high: number): number[] =>
  decades([low, high]).filter((value) => value >= low && value <= high);

/** Vega expression for the tick labels of a time axis in ns: 100 ns, 10 µs, 1 s. */
export const timeLabel =
  "datum.value >= 1e9 ? format(datum.value/1e9, '~r') + ' s' : datum.value >= 1e6 ? format(datum.value/1e6, '~r') + ' ms' : " +
  "datum.value >= 1e3 ? format(datum.value/1e3, '~r') + ' µs' : format(datum.value, '~r') + ' ns'";

/**
 * Returns title and label format of a vertical axis for a derived figure. Values per second can be billions, so their labels have
 * SI prefixes (`labelExpr`); other units have Vega's default labels.
 */
export const rateAxis = ({ unit, head, title }: FigureData): { title: string; labelExpr?: string } =>
  unit === '1/s'
    ? { title: head, labelExpr: "datum.value < 1000 ? datum.label : format(datum.value, '~s')" }
    : { title: `${title} (${unit})` };

/**
 * Maximum upper end of an axis of rates, as a multiple of the highest value. Intervals that reach further are cut off; otherwise
 * the axis would be so long that all lines look flat.
 */
const maxAxisOverValue = 1.5;

/**
 * Returns the scale of a vertical axis of rates. It is linear from 0, or logarithmic if the best rates of two series differ by more
 * than the factor `farApart`, because the slower series would then look like zero. `isCut` is true if the high end of an interval
 * lies beyond the end of the axis.
 * @param rows chart rows with the fields `series`, `low` and `high` (ends of the interval)
 * @param field field of the rate
 * @param rules values of horizontal lines, which the axis must contain
 * @param farApart ratio of two rates
 * @param isShared true if several charts have this scale; its end is then fixed instead of chosen by Vega for each chart
 */
export function rateScale(
  rows: readonly ChartRow[],
  field: string,
  rules: readonly number[],
  farApart: number,
  isShared = false,
): { axis: AxisScale; isLog: boolean; isCut: boolean } {
  const best = new Map<unknown, number>();
  for (const row of rows) best.set(row.series, Math.max(best.get(row.series) ?? 0, Number(row[field])));
  const peaks = [...best.values()].filter((value) => value > 0);
  const highest = Math.max(...peaks, ...rules);
  const top = maxAxisOverValue * highest;
  const end = Math.max(highest, ...numbersIn(rows, 'high'));
  const isCut = end > top;
  if (Math.max(...peaks) > farApart * Math.min(...peaks)) {
    const lowest = Math.min(...numbersIn(rows, field, 'low').filter((value) => value > 0));
    const scale = { type: 'log', domain: [lowest, top] satisfies [number, number], nice: false, clamp: true };
    return { isLog: true, isCut, axis: { scale, values: decadesWithin(lowest, top), format: '~r' } };
  }
  const limit = isCut || isShared ? { domainMax: Math.min(end, top), clamp: true } : {};
  return { isLog: false, isCut, axis: { scale: { zero: true, nice: true, ...limit } } };
}

/** Minimum ratio of the high to the low end of an axis of ratios for which its ticks are at powers of two. */
const wideSpan = 8;
const maxTicks = 7;

/**
 * Returns a logarithmic scale with ticks for ratios, on which "twice as fast" and "half as fast" are equally far from 1. If its
 * ends differ by a factor of eight or more, the ticks are powers of two such as 1/16, 1/4, 1, 4. Otherwise Vega chooses the ticks.
 */
export function ratioAxis(domain: readonly [low: number, high: number]) {
  const [low, high] = domain;
  const scale = { type: 'log', base: 2, domain, nice: false };
  if (high < wideSpan * low) return { scale, format: '~r' };
  const [first, last] = [Math.ceil(Math.log2(low)), Math.floor(Math.log2(high))];
  const step = Math.max(1, Math.ceil((last - first + 1) / maxTicks));
  const values = [];
  // The first power is a multiple of the step, so 1 is one of the ticks.
  for (let power = Math.ceil(first / step) * step; power <= last; power += step) values.push(2 ** power);
  return { scale, values, labelExpr: fraction };
}

const fraction = "datum.value < 1 ? '1/' + format(1 / datum.value, '~r') : format(datum.value, '~r')";
