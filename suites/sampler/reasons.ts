import { type CellRecord, dataOf } from '../../results/schema/index.ts';
import type { CompletedCell } from './sampler.ts';

/** Returns the cell with a reason added to each measured figure: why sampling of the figure's trial ended. */
export function withReasons(cell: CellRecord, stopped: CompletedCell['stopped']): CellRecord {
  if (cell.status !== 'ok') return cell;
  const { figures: rows } = dataOf(cell.workload);
  const figures = cell.figures.map((figure) => {
    const trial = rows.find(({ name }) => name === figure.name)?.trial ?? null;
    const reason = trial === null ? undefined : stopped[trial];
    return figure.kind === 'measured' && reason !== undefined ? { ...figure, stopped: reason } : figure;
  });
  return { ...cell, figures };
}
