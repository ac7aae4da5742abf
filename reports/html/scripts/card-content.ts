import { formatTime, plural } from '../../../results/units.ts';
import type { PointFacts } from './page-data.ts';

/**
 * A rectangle in the small drawing of a point's samples, in pixels from the upper left corner. `bin`: bar of the histogram (or box
 * from p5 to p95). `span`: 95 % interval. `median`: tick at the median of all launches, or of one launch.
 */
export interface StripBar {
  kind: 'bin' | 'span' | 'median';
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Small drawing of the distribution of a point's samples, as rectangles; lengths in pixels. */
export interface SampleStrip {
  width: number;
  height: number;
  bars: StripBar[];
  /** Durations of one operation, in ns, at the left end (`from`) and at the right end (`to`) of the drawing. */
  from: number;
  to: number;
  /** True if the bars are a histogram; false if they are a box from p5 to p95. */
  hasBins: boolean;
}

const isNumber = (value: unknown): value is number => typeof value === 'number';

/**
 * Lays out the distribution of a point's samples: a histogram or a box from p5 to p95, the interval, and the median. A tick below
 * shows the time of each launch. Null if the point has no time, or if all its times are equal.
 */
export function layoutStrip(point: PointFacts): SampleStrip | null {
  const [width, height, foot] = [230, 44, 10];
  const { value, low, high, p5, p95 } = point;
  if (!isNumber(value)) return null;
  const launches = point.each ? point.each.split(' ').map(Number) : [];
  const [fromText, toText, digits] = (point.bins ?? '').split(' ');
  const known = [p5, p95, low, high, ...launches].filter(isNumber);
  const from = digits === undefined ? Math.min(point.min ?? value, ...known) : Number(fromText);
  const to = digits === undefined ? Math.max(point.p99 ?? p95 ?? value, ...known) : Number(toText);
  if (!(to > from)) return null;
  const xOf = (ns: number): number => Math.max(0, Math.min(width, (width * (ns - from)) / (to - from)));
  const bars: StripBar[] = [];
  const add = (kind: StripBar['kind'], x: number, y: number, width: number, height: number): void => {
    bars.push({ kind, x, y, width, height });
  };
  if (digits !== undefined) {
    const step = width / digits.length;
    for (const [i, digit] of [...digits].entries()) {
      const tall = (Number.parseInt(digit, 36) / 35) * height;
      add('bin', i * step, height - tall, step - 0.5, tall);
    }
  } else {
    const [left, right] = [xOf(p5 ?? point.min ?? from), xOf(p95 ?? point.max ?? to)];
    add('bin', 0, height / 2 - 0.5, width, 1);
    add('bin', left, height / 2 - 7, Math.max(1, right - left), 14);
  }
  if (isNumber(low) && isNumber(high)) add('span', xOf(low), 0, Math.max(1, xOf(high) - xOf(low)), height);
  add('median', xOf(value) - 0.75, 0, 1.5, height);
  for (const launch of launches) add('median', xOf(launch) - 0.5, height + 2, 1, foot - 2);
  return { width, height: height + foot, bars, from, to, hasBins: digits !== undefined };
}

/** Content of the box that the page shows beside the point under the mouse pointer. */
export interface CardContent {
  title: string;
  /** Text lines between the title and the drawing of the samples. */
  lines: string[];
  strip: SampleStrip | null;
  /** Text lines below the drawing of the samples; empty without a drawing. */
  notes: string[];
}

/**
 * Returns the content of the box about a drawn point: name, time, interval, number of samples and their distribution. A point
 * that is computed from several times has only its name and value.
 */
export function cardContent(point: PointFacts): CardContent {
  const { tip, value, low, high, why } = point;
  const end = tip.indexOf(': ');
  const title = end < 0 ? tip : tip.slice(0, end);
  const lines = end < 0 ? [] : [tip.slice(end + 2)];
  if (!isNumber(value)) return { title, lines, strip: null, notes: [] };
  const timeText = (ns: number): string => formatTime(ns);
  const rangeText = (from: number, to: number): string => `${timeText(from)} to ${timeText(to)}`;
  lines.push(
    isNumber(low) && isNumber(high)
      ? `95 % interval ${rangeText(low, high)}`
      : `no interval${why ? `: ${why}` : ''}`,
    `n = ${plural(point.samples ?? 0, 'sample')} in ${plural(point.launches ?? 0, 'launch')}`,
  );
  const strip = layoutStrip(point);
  if (strip === null) return { title, lines, strip, notes: [] };
  const shown = strip.hasBins ? 'samples' : 'p5 to p95';
  const quantiles = (['min', 'p95', 'p99', 'max'] as const).flatMap((name) => {
    const ns = point[name];
    return isNumber(ns) ? [`${name} ${timeText(ns)}`] : [];
  });
  const range = `${rangeText(strip.from, strip.to)}: ${shown}, interval, median; below each launch`;
  return { title, lines, strip, notes: [range, quantiles.join(', ')] };
}
