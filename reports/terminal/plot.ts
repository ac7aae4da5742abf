// Charts made of characters, for terminals: points, intervals and horizontal lines. Each series has its own sign, with or without
// colour.
import pc from 'picocolors';
import { asAscii, wrap } from '../wording.ts';
import { fit } from './columns.ts';
import { type PlotAxis, scaleOf, ticksOf } from './plot-scale.ts';

export type { PlotAxis } from './plot-scale.ts';

export interface PlotPoint {
  x: number;
  y: number;
  low?: number | null;
  high?: number | null;
}

export interface PlotSeries {
  label: string;
  points: readonly PlotPoint[];
}

export interface TerminalPlot {
  title: string;
  x: PlotAxis;
  y: PlotAxis;
  series: readonly PlotSeries[];
  /** Horizontal lines at the value `y`, over the whole width, or from x `from` to x `to`. */
  levels?: readonly { y: number; from?: number; to?: number }[];
  /** The x values at which a vertical line is drawn over the whole height. */
  steps?: readonly number[];
  /** Sentences below the chart. */
  notes?: readonly string[];
}

export interface PlotShape {
  /** Width of the terminal in characters; values below 40 count as 40. */
  columns: number;
  /** True if the terminal shows only ASCII characters. */
  ascii: boolean;
  color: boolean;
}

const unicode = {
  series: [...'●■▲◆○□△◇★☆'],
  many: '✱',
  span: '│',
  level: '─',
  step: '┊',
  side: '│',
  tick: '┤',
  floor: '─',
  notch: '┴',
  corner: '└',
};
const plain = {
  series: [...'ox*+@%&$~='],
  many: '#',
  span: '|',
  level: '-',
  step: ':',
  side: '|',
  tick: '+',
  floor: '-',
  notch: '+',
  corner: '+',
};

const highest = 16;
const lowest = 11;

/**
 * Returns a chart as text for a terminal, with legend and notes; '' without points. No line has more than `columns`
 * characters.
 */
export function plotText(plot: TerminalPlot, { columns, ascii, color }: PlotShape): string {
  const width = Math.max(40, columns);
  const signs = ascii ? plain : unicode;
  const say = ascii ? asAscii : (text: string) => text;
  const colours = pc.createColors(color);
  const paints = [colours.cyan, colours.yellow, colours.green, colours.magenta, colours.blue, colours.red];
  const points = plot.series.flatMap(({ points: own }) => own);
  if (points.length === 0) return '';
  const rows = width < 70 ? lowest : highest;
  const ys = points.flatMap(({ y, low, high }) => [y, ...nearbyEnd(low, y), ...nearbyEnd(high, y)]);
  const yScale = scaleOf([...ys, ...(plot.levels ?? []).map(({ y }) => y)], plot.y, 0.04);
  const yTicks = ticksOf(yScale, plot.y, rows / 3);
  const labels = yTicks.map((value) => say(plot.y.text(value)));
  const side = Math.max(...labels.map((label) => label.length), 4);
  const room = width - side - 3;
  const xScale = scaleOf(
    points.map(({ x }) => x),
    plot.x,
  );
  const column = (x: number): number => Math.round(xScale.at(x) * (room - 1));
  const row = (y: number): number =>
    Math.min(rows - 1, Math.max(0, Math.round((1 - yScale.at(y)) * (rows - 1))));

  const field = Array.from({ length: rows }, () => new Array<string>(room).fill(' '));
  const owner = new Map<string, number>();
  const put = (at: number, of: number, text: string): void => {
    const line = field[at];
    if (line !== undefined && of >= 0 && of < room && line[of] === ' ') line[of] = text;
  };
  plot.series.forEach(({ points: own }, index) => {
    for (const { x, y } of own) {
      const key = `${row(y)}/${column(x)}`;
      const other = owner.get(key);
      owner.set(key, other === undefined || other === index ? index : -1);
    }
  });
  for (const [key, index] of owner) {
    const [at = 0, of = 0] = key.split('/').map(Number);
    put(at, of, index < 0 ? signs.many : signOf(index, signs.series, paints));
  }
  for (const { points: own } of plot.series)
    for (const { x, y, low, high } of own)
      if (low != null && high != null && (row(low) !== row(y) || row(high) !== row(y)))
        for (let at = row(high); at <= row(low); at += 1) put(at, column(x), colours.dim(signs.span));
  for (const { y, from, to } of plot.levels ?? [])
    for (
      let of = from === undefined ? 0 : column(from);
      of <= (to === undefined ? room - 1 : column(to));
      of += 1
    )
      put(row(y), of, colours.dim(signs.level));
  for (const x of plot.steps ?? [])
    for (let at = 0; at < rows; at += 1) put(at, column(x), colours.dim(signs.step));

  const byRow = new Map(yTicks.map((value, i) => [row(value), labels[i] ?? '']));
  const body = field.map((line, at) => {
    const label = byRow.get(at);
    return `${(label ?? '').padStart(side)} ${label === undefined ? signs.side : signs.tick}${line.join('')}`.trimEnd();
  });
  const xs = evenLabels(
    (most) => placeLabels(plot.x, ticksOf(xScale, plot.x, most), column, room, say),
    Math.floor(room / 6),
  );
  const floor = Array.from({ length: room }, (_, of) =>
    xs.some(({ of: one }) => one === of) ? signs.notch : signs.floor,
  );
  let under = '';
  for (const { start, text } of xs) under = under.padEnd(start) + text;
  const legend = plot.series.map(({ label }, i) => ({
    label: say(label),
    sign: signOf(i, signs.series, paints),
  }));
  const hasMany = [...owner.values()].some((index) => index < 0);
  return `${[
    ...wrap(say(plot.title), width),
    cut(`${say(plot.y.title)}`, width, ascii),
    ...body,
    `${' '.repeat(side + 1)}${signs.corner}${floor.join('')}`,
    `${' '.repeat(side + 2)}${under}`.trimEnd(),
    say(plot.x.title).padStart(side + 2 + Math.ceil((room + plot.x.title.length) / 2)),
    ...legendLines([...legend, ...(hasMany ? [{ label: 'several', sign: signs.many }] : [])], width, ascii),
    ...(plot.notes ?? []).flatMap((note) => wrap(`  ${say(note)}`, width)),
  ].join('\n')}\n`;
}

/**
 * Returns the end of an interval as a list with one value if it is within a factor of three of y, otherwise an empty list. Farther
 * ends do not count for the range of the vertical axis, because they would make the line of points look flat.
 */
const nearbyEnd = (end: number | null | undefined, y: number): number[] =>
  end != null && end > y / 3 && end < y * 3 ? [end] : [];

/**
 * Returns the coloured character that marks the points of a series. Series beyond the list of signs get letters.
 * @param index position of the series in the chart
 * @param signs characters, one per series
 * @param paints functions that colour a text, used in turn
 */
function signOf(
  index: number,
  signs: readonly string[],
  paints: readonly ((text: string) => string)[],
): string {
  const sign = signs[index] ?? String.fromCharCode(97 + ((index - signs.length) % 26));
  const paint = paints[index % paints.length];
  return paint === undefined ? sign : paint(sign);
}

const cut = (text: string, width: number, ascii: boolean): string =>
  ascii && text.length > width ? text.slice(0, width) : fit(text, width);

/**
 * Returns evenly spaced labels of the x axis, as many as fit next to each other.
 * @param at returns the labels for at most this number of ticks
 * @param most maximum number of ticks
 */
function evenLabels(
  at: (most: number) => ReturnType<typeof placeLabels>,
  most: number,
): ReturnType<typeof placeLabels>['shown'] {
  const found = at(most);
  return found.isWhole || most <= 2 ? found.shown : evenLabels(at, most - 1);
}

/**
 * Places the labels of the x axis. Returns those that fit without touching one another; `isWhole` is true if all fit.
 * @param ticks x values that get a label
 * @param column returns the position of an x value, as a number of characters from the left
 * @param room width of the axis in characters
 * @param say changes the text of a label before it is placed, for example to ASCII
 */
function placeLabels(
  axis: PlotAxis,
  ticks: readonly number[],
  column: (x: number) => number,
  room: number,
  say: (text: string) => string,
) {
  const shown: { of: number; start: number; text: string }[] = [];
  let free = 0;
  for (const tick of ticks) {
    const text = say(axis.text(tick));
    const of = column(tick);
    const start = Math.min(Math.max(0, of - Math.floor(text.length / 2)), room - text.length);
    if (text === '' || start < free) continue;
    shown.push({ of, start, text });
    free = start + text.length + 2;
  }
  return { shown, isWhole: shown.length === ticks.filter((tick) => axis.text(tick) !== '').length };
}

/**
 * Returns the legend with each series' sign and name: "● socket  ■ sisci EMULATED", in as many lines as needed. Names longer than a
 * line are cut. Escape codes for colour do not count as width.
 * @param ascii true = cut names end without an ellipsis
 */
function legendLines(
  entries: readonly { label: string; sign: string }[],
  width: number,
  ascii: boolean,
): string[] {
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const { label, sign } of entries) {
    const text = cut(label, width - 6, ascii);
    const length = text.length + 2;
    if (used > 0 && used + 3 + length > width) {
      lines.push(line);
      [line, used] = ['', 0];
    }
    line += `${used === 0 ? '  ' : '   '}${sign} ${text}`;
    used += (used === 0 ? 2 : 3) + length;
  }
  return used === 0 ? lines : [...lines, line];
}
