import { type CellRecord, dataOf } from '../../results/schema/index.ts';
import type { CompletedCell } from './sampler.ts';

/** Adds to each measured value of a configuration (such as latency) why sampling ended; unchanged if it was not measured. */
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
