// Sentences about wrong data, for the lines below a run's table, with and without --verbose.
import { type OkCell, type RunPlan, whatOf } from '../../results/schema/index.ts';
import { workloadRowOf } from '../rows.ts';
import { namedXOfPoint } from '../series.ts';
import { firstWrongText } from '../summary.ts';
import { plural, shortTransport } from '../wording.ts';

/** Maximum number of configurations with wrong data that get a sentence; the sentence about data checks counts all of them. */
const maxWrong = 3;

/**
 * Returns a sentence about each of the first three configurations with wrong data: number of wrong elements, and, unless
 * `isBrief`, rank, index and values of the first one. Empty without wrong data.
 */
export function wrongDataSentences(plan: RunPlan, ok: readonly OkCell[], isBrief = false): string[] {
  return ok
    .filter(({ verification }) => verification.wrongElements > 0)
    .slice(0, maxWrong)
    .map((cell) => {
      const { first, wrongElements } = cell.verification;
      const group = cell.group === undefined ? '' : `, ${cell.group.name}`;
      const where = `${whatOf(workloadRowOf(plan, cell), cell.axes)} ${namedXOfPoint(plan, cell)} over ${shortTransport(cell.transport)}${group}`;
      const what = first === null || isBrief ? '' : `: ${firstWrongText(first)}`;
      return `wrong data: ${where}, ${plural(wrongElements, 'element')}${what}`;
    });
}
