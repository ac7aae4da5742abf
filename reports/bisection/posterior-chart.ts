import type { BisectionRecord, BisectionStage } from '../../results/schema/index.ts';
import { fileWords } from '../../results/text.ts';
import type { ChartFigure, ChartRow } from '../charts/chart.ts';
import { topLevel } from '../charts/spec.ts';
import { type ChartSize, ink, palette } from '../theme.ts';

/**
 * Draws the probability of each item that the change came with it, after the last comparison of a stage (one search for one
 * change). The stage's first item has no bar, because the change cannot have come with it.
 * @param stage index of the stage in the bisection, for the file name
 */
export function posteriorChart(
  { id, items }: BisectionRecord,
  { from, posterior, found }: BisectionStage,
  stage: number,
): ChartFigure {
  const rows: ChartRow[] = posterior.flatMap((probability, at) => {
    if (at === 0) return [];
    const [item, name] = [from + at, items[from + at]?.name ?? ''];
    const isFound = found !== null && item >= found.first && item <= found.last;
    return [{ item, name, probability, kind: isFound ? 'found' : 'other' }];
  });
  const title = 'Probability of each item that the change came with it';
  return {
    name: fileWords(`bisect-${id}-${stage + 1}`),
    title,
    caption:
      'After the last comparison. Items before the first bar and after the last were not searched here.',
    rows,
    spec: (size) => spec(title, rows, size),
  };
}

const spec = (title: string, rows: readonly ChartRow[], size: ChartSize) =>
  topLevel(
    title,
    {
      data: {
        values: rows.map((row) => ({ ...row, tip: `${row.name}: ${Number(row.probability).toFixed(3)}` })),
      },
      mark: { type: 'bar', aria: true, size: 5 },
      encoding: {
        x: { field: 'item', type: 'quantitative', axis: { title: 'item', tickMinStep: 1, grid: false } },
        y: {
          field: 'probability',
          type: 'quantitative',
          scale: { domain: [0, 1] },
          axis: { title: 'probability', tickCount: 5 },
        },
        color: {
          field: 'kind',
          type: 'nominal',
          scale: { domain: ['found', 'other'], range: [palette.vermillion, ink.rule] },
          legend: null,
        },
        description: { field: 'tip' },
      },
    },
    { width: size === 'wide' ? 430 : 180, height: 140 },
  );
