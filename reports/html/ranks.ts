// Tables that show which rank is slowest, so that the others wait for it.
import { nameOfRun } from '../../results/compare/run.ts';
import { columnUnit, withUnit } from '../column-units.ts';
import { type DocumentBlock, tableOf } from '../document/blocks.ts';
import { workloadRowOf, xAxisFormat } from '../rows.ts';
import { type ReportRun, titleOfPoint, xOfPoint } from '../series.ts';
import { type RankTimes, rankTimesOf, stragglerOf } from '../stragglers.ts';
import { formatCount, shortTransport } from '../wording.ts';

/** Returns one table of rank times per run; a paragraph replaces it if the run's samples cannot be read. */
export async function ranksTables(runs: readonly ReportRun[]): Promise<DocumentBlock[]> {
  const tables: DocumentBlock[] = [];
  for (const run of runs) tables.push(await ofRun(run, runs.length > 1));
  return tables;
}

async function ofRun(run: ReportRun, several: boolean): Promise<DocumentBlock> {
  let rows: RankTimes[];
  try {
    rows = await rankTimesOf(run);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { kind: 'paragraph', text: `The samples cannot be read: ${why}.` };
  }
  const { plan } = run.record;
  const at = ({ point }: RankTimes) => plan.points[point];
  const placeOf = ({ transport }: RankTimes) => plan.transports.findIndex(({ name }) => name === transport);
  // Rows of one point are in the order of the plan's transports, as in all other tables.
  rows.sort((a, b) => a.point - b.point || placeOf(a) - placeOf(b));
  const unit = columnUnit(
    'ns',
    rows.flatMap(({ medians }) => medians),
  );
  const isSeveral = new Set(rows.map((row) => titleOf(row))).size > 1;
  function titleOf(row: RankTimes): string {
    const point = at(row);
    return point === undefined ? '' : titleOfPoint(plan, point);
  }
  const sizeOf = (row: RankTimes): string => {
    const point = at(row);
    return point === undefined ? '' : xAxisFormat(workloadRowOf(plan, point)).text(xOfPoint(plan, point));
  };
  const last = ({ lastIn }: RankTimes) => lastIn.indexOf(Math.max(...lastIn));
  const spread = ({ medians }: RankTimes) => Math.max(...medians) / Math.min(...medians) - 1;
  const ns =
    (of: (medians: number[]) => number) =>
    ({ medians }: RankTimes) =>
      unit.text(of(medians));
  return tableOf<RankTimes>(
    [
      {
        head: 'verdict',
        isVerdict: true,
        cell: (row) => {
          const rank = stragglerOf(row);
          return rank === null ? 'no straggler' : { strong: `rank ${rank} is a straggler` };
        },
      },
      { head: 'series', cell: (row) => (isSeveral ? titleOf(row) : '') },
      { head: 'size', align: 'right', cell: sizeOf },
      { head: 'over', cell: ({ transport }) => shortTransport(transport) },
      { head: 'mostly last', cell: (row) => `rank ${last(row)}` },
      { head: 'in', quantity: 'share', cell: (row) => (row.lastIn[last(row)] ?? 0) / row.operations },
      {
        head: withUnit('fastest rank', unit),
        align: 'right',
        cell: ns((medians) => Math.min(...medians)),
      },
      {
        head: withUnit('slowest rank', unit),
        align: 'right',
        cell: ns((medians) => Math.max(...medians)),
      },
      { head: 'apart', quantity: 'share', cell: spread },
      { head: 'operations', align: 'right', cell: ({ operations }) => formatCount(operations) },
    ],
    rows,
    {
      title: `Ranks${several ? ` of run ${nameOfRun(run.record)}` : ''}.`,
      caption:
        'Isolated operations at the smallest, a middle and the largest size: from the start to the end of each rank, medians. A rank is a straggler if it ends last in three of four operations and takes 5 % more than all others.',
    },
    (row) => ({ isBad: stragglerOf(row) !== null }),
  );
}
