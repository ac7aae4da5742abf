import { type DocumentTable, tableOf } from '../document/blocks.ts';
import { chartedRow, figureText } from '../rows.ts';
import type { SeriesGroup } from '../series.ts';
import { hasMembers, sideBySideOf } from '../side-by-side.ts';
import { formatRatio, formatTime, shortTransport } from '../wording.ts';
import type { ReportTopic } from './topic.ts';

/** Topic that compares groups of ranks which worked at the same time. */
export const sideBySide: ReportTopic = {
  id: 'side-by-side',
  chapter: 'ranks',
  only: ['page'],
  ofSeries: ({ group }) => (hasMembers(group) ? [sideBySideTable(group)] : []),
};

/**
 * Returns a table that compares groups of ranks which worked at the same time, one row per x and transport. The table has no rows
 * if the ranks were not divided into groups.
 */
function sideBySideTable(group: SeriesGroup): DocumentTable {
  const rows = sideBySideOf(group);
  type Row = (typeof rows)[number];
  const at = ({ name, timeNs }: Row['slowest']) => `${name}, ${formatTime(timeNs)}`;
  const charted = chartedRow(group.row);
  const meaning = charted === undefined ? '' : ` together is the sum of the ${charted.title}s;`;
  return tableOf<Row>(
    [
      { head: group.x.noun, quantity: group.x, cell: ({ x }) => x },
      { head: 'over', cell: ({ transport }) => shortTransport(transport) },
      { head: 'groups', align: 'right', cell: ({ members }) => String(members) },
      { head: 'slowest', cell: ({ slowest }) => at(slowest) },
      { head: 'fastest', cell: ({ fastest }) => at(fastest) },
      { head: 'ratio', align: 'right', cell: ({ ratio }) => formatRatio(ratio) },
      { head: 'stands out', cell: ({ standsOut }) => (standsOut ? 'yes' : 'no') },
      {
        head: 'together',
        align: 'right',
        cell: ({ together }) => (together === null ? null : figureText(together.of.unit, together.value)),
      },
      { head: 'side by side', quantity: 'share', cell: ({ overlap }) => overlap },
    ],
    rows,
    {
      title: 'Groups of ranks at the same time.',
      caption: `The slowest is marked where its whole 95 % interval is above those of the others;${meaning} side by side is the smallest share of its time in which a group worked at the same time as all others.`,
    },
  );
}
