import { type CellRecord, timedTrialNames } from '../../results/schema/index.ts';
import type { ClosedCell } from './sampler.ts';

/** Why sampling ended, in the figures it ended for. */
export function withReasons(cell: CellRecord, stopped: ClosedCell['stopped']): CellRecord {
  if (cell.status !== 'ok') return cell;
  const told = { ...cell };
  for (const trial of timedTrialNames) {
    const figures = cell[trial];
    const reason = stopped[trial];
    if (figures !== null && reason !== undefined) told[trial] = { ...figures, stopped: reason };
  }
  return told;
}
