import { addTo } from '../../results/collections.ts';
import { type CellRecord, fileKeyOf, type RunPlan } from '../../results/schema/index.ts';
import { courseSentence } from '../resume-lines.ts';
import { workloadRowOf } from '../rows.ts';
import type { ReportRun } from '../series.ts';
import { isMostlyFlagged } from '../summary.ts';
import type { LiveTableOptions } from './live.ts';
import { createTable } from './table.ts';

/**
 * Returns the indices of the planned points (option values and size), those of one series one after the other, as tables list them.
 * A run measures points in another order.
 */
function byGroup(plan: RunPlan): number[] {
  const groups = new Map<string, number[]>();
  for (const [i, point] of plan.points.entries()) {
    const key = fileKeyOf(workloadRowOf(plan, point), point.axes);
    addTo(groups, key, i);
  }
  return [...groups.values()].flat();
}

/**
 * Returns the result table of a stored run as text, without the lines above and below it. Points without any result or failure are
 * left out.
 */
export function tableOfRun(options: LiveTableOptions, cells: readonly CellRecord[]): string {
  const table = createTable(options);
  if (table.whole !== undefined) return table.whole(cells);
  const byPoint = new Map<number, CellRecord[]>();
  for (const cell of cells) addTo(byPoint, cell.point, cell);
  return byGroup(options.plan)
    .flatMap((point) => {
      const row = byPoint.get(point);
      return row === undefined ? [] : [table.row(point, row)];
    })
    .join('');
}

/**
 * Returns the texts of a run whose results are final: lines above its table (`head`), all rows, lines below (`foot`).
 * @param elapsedS duration of the run in seconds
 * @param reportPath path of the report, which is printed as the last line; null = none
 */
export function finalTable(
  { record, cells }: Pick<ReportRun, 'record' | 'cells'>,
  shape: Pick<LiveTableOptions, 'columns' | 'color' | 'isBrief'>,
  elapsedS: number,
  reportPath: string | null,
): { head: string; rows: string; foot: string } {
  const { id, label, plan, retries, summary } = record;
  const options = {
    ...shape,
    ...{ plan, runId: label === undefined ? id : `${id} '${label}'` },
    ...(retries === undefined ? {} : { retries }),
    isMostlyFlagged: isMostlyFlagged(cells),
  };
  const table = createTable(options);
  const resumed = courseSentence(record);
  return {
    head: table.head(),
    rows: tableOfRun(options, cells),
    foot: table.foot({ cells, record, elapsedS, reportPath, resumed, found: summary?.sentences ?? [] }),
  };
}
