// Names at the breaks of a line: which algorithm or protocol the library took from there on.
import { namedStretches } from '../figure-words.ts';
import type { Group } from '../series.ts';
import { type ChartSize, chartSizes, ink } from '../theme.ts';
import type { Row } from './chart.ts';

/** Pixels: of a letter, and of a line of text. */
const [letter, line] = [5.6, 12];
/** Longer names would lie over what they name. */
const mostLetters = 22;

interface Placed {
  left: number;
  right: number;
  y: number;
}

/**
 * A text beside the first point of each stretch: below it and to its right, where a rising line leaves room; at the right end above
 * it and to its left. A text that would meet another is left out: the caption names all.
 * @param rows of the lines, with `series` and their x
 */
export function breakLabels(
  group: Group,
  rows: readonly Row[],
  y: { field: string; isLog: boolean },
  size: ChartSize,
): object[] {
  const { width, height } = chartSizes[size];
  const scale = (values: readonly number[], isLog: boolean, pixels: number) => {
    const at = isLog ? Math.log : (value: number) => value;
    const [low, high] = [at(Math.min(...values)), at(Math.max(...values))];
    return (value: number) => (high > low ? ((at(value) - low) / (high - low)) * pixels : pixels / 2);
  };
  const numbers = (field: string) =>
    rows.map((row) => row[field]).filter((one): one is number => typeof one === 'number' && one > 0);
  const [toX, toY] = [
    scale(numbers(group.x.field), true, width),
    scale(y.isLog ? numbers(y.field) : [0, ...numbers(y.field)], y.isLog, height),
  ];
  const placed: Placed[] = [];
  const sides: Record<'right' | 'left', Row[]> = { right: [], left: [] };
  for (const series of group.series) {
    const stretches = namedStretches(series);
    if (stretches.length < 2) continue;
    for (const { name, first } of stretches) {
      const row = rows.find((one) => one.series === series.label && one[group.x.field] === first);
      const value = row?.[y.field];
      if (typeof value !== 'number' || value <= 0 || name.length > mostLetters) continue;
      const [at, length] = [toX(first), name.length * letter];
      const side = at + length > width ? 'left' : 'right';
      const box =
        side === 'right'
          ? { left: at, right: at + length, y: toY(value) - line }
          : { left: at - length, right: at, y: toY(value) + line };
      if (placed.some((one) => meet(one, box))) continue;
      placed.push(box);
      sides[side].push({ [group.x.field]: first, [y.field]: value, text: name });
    }
  }
  if (placed.length === 0) return [];
  return Object.entries(sides).map(([side, values]) => layer(side, values, y.field));
}

const meet = (a: Placed, b: Placed): boolean =>
  a.left < b.right && b.left < a.right && Math.abs(a.y - b.y) < line;

/** Named, so that the data of both sizes of a chart may differ. */
const layer = (side: string, values: Row[], field: string): object => ({
  data: { name: `breaks-${side}`, values },
  mark: {
    ...{ type: 'text', fontSize: 10, color: ink.soft, aria: false },
    ...(side === 'right'
      ? { align: 'left', baseline: 'top', dx: 3, dy: 4 }
      : { align: 'right', baseline: 'bottom', dx: -3, dy: -4 }),
  },
  encoding: { y: { field, type: 'quantitative' }, text: { field: 'text' } },
});
