// Matrix of all pairs of hosts for terminals: bandwidth below the diagonal, latency above it.
import type { Colors } from 'picocolors/types.js';
import { notReached, type PairsOverview } from '../../results/derive/index.ts';
import { type FigureScale, figureScale, type PairMeasure, pairShare, pairValue } from '../pairs.ts';
import { wrap } from '../wording.ts';
import { fit } from './columns.ts';

/** Width in characters of a matrix cell that is wide enough for a value. */
const figureWidth = 5;
/**
 * Share of the median pair's speed from which a cell without room for a value shows only "."; cells of slower pairs show the share
 * in percent or tenths.
 */
const asTypical = 0.9;

/**
 * Formats a pair's speed, given as a share of the median pair's: as percent in two characters, as tenths in one. "." means 90 % or
 * more, "x" that the pair did not run (null).
 */
function shareText(share: number | null, width: number): string {
  if (share === null) return 'x';
  if (share >= asTypical) return '.';
  return String(Math.floor(share * (width > 1 ? 100 : 10)));
}

interface MatrixLayout {
  /**
   * Width of a cell in characters, without the space before it. `gap`: number of spaces before a cell; `names`: width of the column
   * with the host names.
   */
  cell: number;
  gap: number;
  names: number;
}

/**
 * Returns the widths of a matrix of host pairs; null if not even one character per cell fits.
 * @param columns width of the terminal in characters
 */
function layoutFor(names: readonly string[], columns: number): MatrixLayout | null {
  const n = names.length;
  const number = String(n).length;
  // The width includes a space after the name, because the cells of some layouts have no space before them.
  const longest = number + 2 + Math.max(...names.map((name) => name.length));
  for (const [cell, gap] of [
    [figureWidth, 1],
    [2, 1],
    [1, 1],
    [1, 0],
  ] as const) {
    const room = columns - n * (cell + gap);
    // A host's name may be cut, but its number is always shown in full.
    if (room >= Math.min(longest, number + (cell === figureWidth ? 13 : 7)))
      return { cell, gap, names: Math.min(longest, room) };
  }
  return null;
}

/**
 * Returns the matrix of all host pairs over one transport, below a legend: bandwidth below the diagonal, latency above it. If
 * values do not fit into `columns` characters, a cell shows the pair's speed in percent or tenths of the median pair's. Cells of
 * pairs with 90 % or more are then dots, so that slow pairs are easy to see. If not even that fits, one line says so.
 */
export function matrixLines(one: PairsOverview, columns: number, colours: Colors): string[] {
  const { names, typicalGBps, typicalLatencyNs } = one;
  const layout = layoutFor(names, columns);
  if (layout === null)
    return [`${names.length} x ${names.length} pairs do not fit in ${columns} columns: see the report`];
  const { cell, gap } = layout;
  const byNames = new Map(one.pairs.map((pair) => [`${pair.a}\0${pair.b}`, pair]));
  const bandwidth = figureScale('bandwidth', typicalGBps ?? 1);
  const latency = figureScale('latency', typicalLatencyNs ?? 1);
  const isFigures = cell === figureWidth;
  const bad = badIn(one);

  const cellText = (row: number, column: number): string => {
    if (row === column) return (isFigures ? '-' : '\\').padStart(cell);
    const [a = '', b = ''] = [Math.min(row, column), Math.max(row, column)].map((at) => names[at]);
    const pair = byNames.get(`${a}\0${b}`);
    if (pair === undefined || pair.reason === notReached) return '?'.padStart(cell);
    const measure: PairMeasure = row > column ? 'bandwidth' : 'latency';
    const [share, value] = [pairShare(one, pair, measure), pairValue(pair, measure)];
    const isBad = bad(measure, a, b);
    const figure = value === null ? 'x' : { bandwidth, latency }[measure].text(value);
    const text = (isFigures ? figure + (isBad ? '!' : ' ') : shareText(share, cell)).padStart(cell);
    return isBad || share === null ? colours.red(text) : text;
  };

  const number = String(names.length).length;
  const label = (row: number) =>
    fit(`${String(row + 1).padStart(number)} ${names[row]}`, layout.names - 1).padEnd(layout.names);
  const rows = names.map((_, row) => {
    const cells = names.map((__, column) => ' '.repeat(gap) + cellText(row, column));
    return `${label(row)}${cells.join('')}`.trimEnd();
  });
  return [
    legend(one, isFigures, cell, [bandwidth, latency]).flatMap((line) => wrap(line, columns, '  ')),
    ...heads(names.length, layout, isFigures),
    ...rows,
  ].flat();
}

/**
 * Returns a function that tells whether a pair of hosts (`a`, `b`) is slow, in bandwidth or in latency as `measure` says. It
 * returns true if the pair or one of its hosts was found to be an outlier.
 */
function badIn({ findings }: PairsOverview) {
  const found = new Set(findings.map(({ measure, names }) => `${measure}\0${names.join('\0')}`));
  return (measure: string, a: string, b: string): boolean =>
    [[a], [b], [a, b]].some((names) => found.has(`${measure}\0${names.join('\0')}`));
}

function legend(
  one: PairsOverview,
  isFigures: boolean,
  cell: number,
  [bandwidth, latency]: [FigureScale, FigureScale],
): string[] {
  const typical = [
    one.typicalGBps === null ? '' : `${bandwidth.text(one.typicalGBps)} ${bandwidth.unit}`,
    one.typicalLatencyNs === null ? '' : `${latency.text(one.typicalLatencyNs)} ${latency.unit}`,
  ];
  if (isFigures)
    return [`below: bandwidth, ${bandwidth.unit}; above: latency, ${latency.unit}; ! stands out`];
  const unit = cell > 1 ? '%' : 'tenths';
  return [
    `below: bandwidth (typical ${typical[0]}); above: latency (${typical[1]})`,
    `. as typical; digits: speed in ${unit} of it; x did not run`,
  ];
}

/**
 * Returns the lines above the matrix with the numbers of the hosts. If columns are too narrow for the numbers, the digits of a
 * number are below one another.
 * @param n number of hosts
 * @param isFigures true if cells contain values, not only shares of the median pair's speed
 */
function heads(n: number, { cell, gap, names }: MatrixLayout, isFigures: boolean): string[] {
  const numbers = Array.from({ length: n }, (_, i) => String(i + 1));
  const left = ' '.repeat(names);
  const digits = String(n).length;
  if (cell + gap > digits) {
    const padded = numbers.map((text) => ' '.repeat(gap) + (isFigures ? `${text} ` : text).padStart(cell));
    return [(left + padded.join('')).trimEnd()];
  }
  const before = ' '.repeat(gap + cell - 1);
  return Array.from({ length: digits }, (_, digit) =>
    (left + numbers.map((text) => before + text.padStart(digits)[digit]).join('')).trimEnd(),
  );
}
