// A trend as plain SVG. Elements have only classes; the page's style sheet gives them light and dark colours.
import type { Trend } from '../../results/history/index.ts';
import { escapeMarkup } from '../../results/markup-text.ts';
import { intervalSuffix, levelOf, levelText, marksOfNight, runText, stepLabels } from '../history/texts.ts';
import { type SafeHtml, trustHtml } from '../html/markup.ts';

/** Maximum number of points in the chart; of a longer history the newest points are drawn. */
export const maxPointsDrawn = 365;

const sizes = { wide: { width: 760, height: 230 }, narrow: { width: 350, height: 210 } } as const;
type FigureSize = keyof typeof sizes;
const around = { left: 64, right: 12, top: 22, bottom: 26 };
/** Smallest range of the vertical axis, as a share of the value. Smaller changes are noise, so they are drawn nearly flat. */
const leastRange = 0.04;
/** Upper limit of a character's mean width in pixels. */
const characterWidth = 7;
const ended = /\b(imported|interrupted|failed|no end)\b/;
const digit = (value: number): string => String(Number(value.toFixed(1)));

/**
 * Returns the chart of a series' times, night by night, in two forms: for wide and for narrow screens. The style sheet shows one
 * of them.
 * @param id id that is unique in its page
 */
export const trendCharts = (trend: Trend, id: string): SafeHtml =>
  trustHtml(
    (['wide', 'narrow'] as const)
      .map((size) => `<div class="${size}">${drawn(trend, `${id}-${size}`, size)}</div>`)
      .join('\n'),
  );

function drawn(trend: Trend, id: string, size: FigureSize): string {
  const { width, height } = sizes[size];
  const from = Math.max(0, trend.nights.length - maxPointsDrawn);
  const nights = trend.nights.slice(from);
  const levels = nights.map((night) => levelOf(night, trend));
  const y = yScale(levels, height);
  const x = (i: number): number =>
    around.left + ((i - from + 0.5) / nights.length) * (width - around.left - around.right);
  const parts = [
    ...ticks(y.low, y.high).map(
      (value) =>
        `<line class="tick" x1="${around.left}" x2="${width - around.right}" y1="${digit(y.at(value))}" y2="${digit(y.at(value))}"/><text x="${around.left - 6}" y="${digit(y.at(value) + 4)}" text-anchor="end">${levelText(Math.log(value), trend.kind)}</text>`,
    ),
    ...dates(trend, from, size, x, height),
    ...levelLines(trend, from, x, y.at),
    ...nights.map((night, i) => {
      const level = levels[i] as (typeof levels)[number];
      const { log, interval } = level;
      const marks = marksOfNight(trend, night);
      const runs = night.runs.length === 1 ? `run ${runText(night.runs[0])}` : `${night.runs.length} runs`;
      const tip = `${night.night}: ${levelText(log, trend.kind)}${intervalSuffix(level)}, ${runs}${marks.length === 0 ? '' : `, ${marks.join(', ')}`}`;
      const span =
        interval === null
          ? ''
          : `<line class="span" x1="${digit(x(from + i))}" x2="${digit(x(from + i))}" y1="${digit(y.at(Math.exp(interval.low)))}" y2="${digit(y.at(Math.exp(interval.high)))}"/>`;
      const hollow = ended.test(night.marks.join(' ')) ? ' hollow' : '';
      return `${span}<circle class="point${hollow}" cx="${digit(x(from + i))}" cy="${digit(y.at(Math.exp(log)))}" r="${nights.length > 120 ? 1.8 : 3}"><title>${escapeMarkup(tip)}</title></circle>`;
    }),
    ...steps(trend, from, x, height, width),
  ];
  const title = `${trend.title}, ${trend.regime}: ${nights.length} points`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="${id}"><title id="${id}">${escapeMarkup(title)}</title>${parts.join('')}</svg>`;
}

/**
 * Returns the vertical scale: its lower and upper end, and a function from value to pixel. The ends are the smallest and the
 * largest point plus a margin. 95 % intervals that reach beyond them are cut there. A scale with room for the widest interval
 * would show all points at nearly the same height.
 * @param levels the points, one per night
 * @param height height of the chart in pixels
 */
function yScale(levels: readonly ReturnType<typeof levelOf>[], height: number) {
  const logs = levels.map(({ log }) => log);
  const [least, most] = [Math.min(...logs), Math.max(...logs)];
  const pad = Math.max(leastRange - (most - least), (most - least) * 0.3) / 2;
  const [low, high] = [Math.exp(least - pad), Math.exp(most + pad)];
  const [top, bottom] = [around.top, height - around.bottom];
  const at = (value: number): number => {
    const place = bottom - ((value - low) / (high - low)) * (bottom - top);
    return Math.min(bottom, Math.max(top, place));
  };
  return { low, high, at };
}

/** Returns about three to six round values between `low` and `high`, for the ticks of an axis. */
function ticks(low: number, high: number): number[] {
  const power = 10 ** Math.floor(Math.log10((high - low) / 4));
  const step = ([1, 2, 5, 10].find((n) => (high - low) / (n * power) <= 5) ?? 10) * power;
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, i) => (first + i) * step);
}

function dates(
  trend: Trend,
  from: number,
  size: FigureSize,
  x: (i: number) => number,
  height: number,
): string[] {
  const most = size === 'narrow' ? 3 : trend.by === 'day' ? 6 : 4;
  const n = trend.nights.length - from;
  const places = new Set(
    Array.from({ length: Math.min(most, n) }, (_, i) =>
      Math.round((i * (n - 1)) / Math.max(1, Math.min(most, n) - 1)),
    ),
  );
  return [...places].map((place, i) => {
    const anchor = places.size === 1 || (i > 0 && i < places.size - 1) ? 'middle' : i === 0 ? 'start' : 'end';
    const text = trend.nights[from + place]?.night.slice(0, trend.by === 'day' ? 10 : 16) ?? '';
    const shown = size === 'narrow' ? text.slice(0, 10) : text;
    return `<text x="${digit(x(from + place))}" y="${height - 6}" text-anchor="${anchor}">${escapeMarkup(shown)}</text>`;
  });
}

function levelLines(trend: Trend, first: number, x: (i: number) => number, y: (value: number) => number) {
  const emulated = trend.medium === 'emulated' ? ' emulated' : '';
  return trend.segments
    .filter(({ to }) => to > first)
    .map(({ from, to, log }) => {
      const at = digit(y(Math.exp(log)));
      return `<line class="level${emulated}" x1="${digit(x(Math.max(first, from)))}" x2="${digit(x(to - 1))}" y1="${at}" y2="${at}"/>`;
    });
}

function steps(
  trend: Trend,
  from: number,
  x: (i: number) => number,
  height: number,
  width: number,
): string[] {
  return stepLabels(trend)
    .filter(({ at }) => at >= from)
    .map(({ at, isSlower, text }) => {
      const place = x(at);
      const isLate = place > width - 20 - characterWidth * text.length;
      return `<line class="step" x1="${digit(place)}" x2="${digit(place)}" y1="14" y2="${height - around.bottom}"/><text class="shift" x="${digit(place + (isLate ? -4 : 4))}" y="14" text-anchor="${isLate ? 'end' : 'start'}">${isSlower ? '▲' : '▼'} ${text}</text>`;
    });
}
