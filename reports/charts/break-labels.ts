// Labels at the places where a line is broken: the algorithm or protocol that the library uses from this point on.

import { namedRanges } from '../choice-ranges.ts';
import type { SeriesGroup } from '../series.ts';
import { type ChartSize, chartSizes, ink } from '../theme.ts';
import type { ChartRow } from './chart.ts';
import { textHalo } from './spec.ts';

/** Estimated width of a letter and height of a text line, in pixels. */
const [letter, line] = [5.6, 12];
/** Maximum number of characters of a label at a break of a line; a longer label would cover the line, so it is left out. */
const maxLetters = 22;
/**
 * Maximum number of characters of a short algorithm name. If all names on a line are short, a label also shows the previous name
 * ("A → B"), and the first range of the line has no label.
 */
const shortName = 8;

type LabelSegment = readonly [from: { x: number; y: number }, to: { x: number; y: number }];
interface LabelBox {
  left: number;
  right: number;
  y: number;
}

/**
 * Returns text layers (one per side of the points, or none) that name the algorithm or protocol of each range of x at its first
 * point. A label is usually below its point to the right, where a rising line leaves room; above the point near the lower edge of
 * the plot; left of it at the right edge. Another side is used if a line would cross the text. A label that is too long or would
 * overlap another one is left out, because the caption names all ranges.
 * @param rows rows of the lines, with the field `series` and the field of x
 * @param y vertical axis. `field`: field of its values. `isLog`: true if it is logarithmic. `rules`: horizontal lines with texts at
 * their left end. `domain`: range of the axis, if it is wider than the values.
 */
export function breakLabels(
  group: SeriesGroup,
  rows: readonly ChartRow[],
  y: {
    field: string;
    isLog: boolean;
    rules?: readonly { value: number; text: string }[];
    domain?: readonly number[];
  },
  size: ChartSize,
): object[] {
  const { width, height } = chartSizes[size];
  const { rules = [] } = y;
  const scale = (values: readonly number[], isLog: boolean, pixels: number) => {
    const at = isLog ? Math.log : (value: number) => value;
    const [low, high] = [at(Math.min(...values)), at(Math.max(...values))];
    return (value: number) => (high > low ? ((at(value) - low) / (high - low)) * pixels : pixels / 2);
  };
  const numbers = (field: string) =>
    rows.map((row) => row[field]).filter((one): one is number => typeof one === 'number' && one > 0);
  const [toX, toY] = [
    scale(numbers(group.x.field), true, width),
    scale(
      y.domain ?? [...(y.isLog ? [] : [0]), ...rules.map(({ value }) => value), ...numbers(y.field)],
      y.isLog,
      height,
    ),
  ];
  const lines = group.series.flatMap((series) => {
    const mine = rows.filter((row) => row.series === series.label && typeof row[y.field] === 'number');
    const points = mine.map((row) => ({
      x: toX(Number(row[group.x.field])),
      y: toY(Number(row[y.field])),
      stretch: row.stretch,
    }));
    return points.slice(1).flatMap((to, i): LabelSegment[] => {
      const from = points[i];
      return from === undefined || from.stretch !== to.stretch ? [] : [[from, to]];
    });
  });
  const placed: LabelBox[] = [];
  const taken = rules.map(
    ({ value, text }): LabelBox => ({ left: 0, right: text.length * letter, y: toY(value) + line }),
  );
  const sides: Record<LabelSide, ChartRow[]> = { below: [], above: [], left: [] };
  for (const series of group.series) {
    const stretches = namedRanges(series);
    if (stretches.length < 2) continue;
    const isShort = stretches.every(({ name }) => name.length <= shortName);
    for (const [i, { name: own, first }] of stretches.entries()) {
      if (isShort && i === 0) continue;
      const name = isShort ? `${stretches[i - 1]?.name} → ${own}` : own;
      const row = rows.find((one) => one.series === series.label && one[group.x.field] === first);
      const value = row?.[y.field];
      if (typeof value !== 'number' || value <= 0 || name.length > maxLetters) continue;
      const [at, up, length] = [toX(first), toY(value), name.length * letter];
      const usual: LabelSide = at + length > width ? 'left' : up > 1.5 * line ? 'below' : 'above';
      const boxOf = (one: LabelSide): LabelBox =>
        one === 'left'
          ? { left: at - length, right: at, y: up + line }
          : { left: at, right: at + length, y: one === 'below' ? up - line : up + line };
      const isFree = (one: LabelSide): boolean => {
        const box = boxOf(one);
        const isInside = box.left >= 0 && box.right <= width && box.y >= line / 2;
        return isInside && ![...placed, ...taken].some((other) => meet(other, box)) && !isCrossed(box, lines);
      };
      const side = [usual, ...sidesInOrder].find(isFree) ?? usual;
      const box = boxOf(side);
      if ([...placed, ...taken].some((one) => meet(one, box))) continue;
      placed.push(box);
      sides[side].push({ [group.x.field]: first, [y.field]: value, text: name });
    }
  }
  if (placed.length === 0) return [];
  return (Object.keys(places) as LabelSide[]).map((side) => layer(side, sides[side], y.field));
}

const meet = (a: LabelBox, b: LabelBox): boolean =>
  a.left < b.right && b.left < a.right && Math.abs(a.y - b.y) < line;

/**
 * True if a segment of a line crosses the box of a label's text. All coordinates are pixels.
 * @param lines segments between neighbouring points of all lines
 */
function isCrossed({ left, right, y }: LabelBox, lines: readonly LabelSegment[]): boolean {
  return lines.some(([from, to]) => {
    const [start, end] = [Math.max(left, from.x), Math.min(right, to.x)];
    if (start >= end) return false;
    const at = (x: number) => from.y + ((to.y - from.y) * (x - from.x)) / (to.x - from.x);
    const [low, high] = [Math.min(at(start), at(end)), Math.max(at(start), at(end))];
    return low < y + line / 2 && high > y - line / 2;
  });
}

const sidesInOrder = ['below', 'above', 'left'] as const;
const places = {
  below: { align: 'left', baseline: 'top', dx: 3, dy: 4 },
  above: { align: 'left', baseline: 'bottom', dx: 3, dy: -5 },
  left: { align: 'right', baseline: 'bottom', dx: -3, dy: -4 },
} as const;
type LabelSide = keyof typeof places;

/**
 * Returns the layer with all labels on one side of their points. Its data is named by the side, because the wide and the narrow
 * form of a chart have different rows.
 * @param values rows of the labelled points, with the text of the label in the field `text`
 * @param field field of the y value
 */
const layer = (side: LabelSide, values: ChartRow[], field: string): object => ({
  data: { name: `breaks-${side}`, values },
  mark: {
    ...{ type: 'text', fontSize: 10, color: ink.soft, aria: false, ...textHalo },
    ...places[side],
  },
  encoding: { y: { field, type: 'quantitative' }, text: { field: 'text' } },
});
