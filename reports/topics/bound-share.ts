import { sideOf, titleOf } from '../../results/schema/index.ts';
import { type BoundShare, boundShares, boundShareText } from '../bound-share.ts';
import { type CellColumn, type DocumentBlock, type DocumentTable, tableOf } from '../document/blocks.ts';
import { chartedRow, figureText, sideTimes } from '../rows.ts';
import { axesOf, cellAt, rateOf, type SeriesGroup } from '../series.ts';
import { formatTime, shortTransport } from '../wording.ts';
import type { ReportTopic } from './topic.ts';

/**
 * Topic that shows how near times come to a bound which the run measured itself (one value of an axis, such as a cache layout, is
 * the bound of the others).
 */
export const boundShare: ReportTopic = {
  id: 'bound-share',
  chapter: 'bandwidth',
  ofReport: (groups): DocumentBlock[] => {
    const all = boundShares(groups);
    const rows = new Set(all.map(({ group }) => group.row.name));
    return [...rows].map((name) => shareTable(all.filter(({ group }) => group.row.name === name)));
  },
};

function shareTable(shares: readonly BoundShare[]): DocumentTable {
  const [first] = shares as [BoundShare];
  const { group, axis } = first;
  const charted = chartedRow(group.row);
  const cellOf = ({ series, x }: BoundShare) => cellAt(series, x);
  const titleWithoutAxis = (one: SeriesGroup): string =>
    titleOf(one.row, { ...axesOf(one), [axis.name]: null });
  return tableOf<BoundShare>(
    [
      { head: group.row.title, names: 'above', isLong: true, cell: (one) => titleWithoutAxis(one.group) },
      { head: 'over', cell: ({ series }) => shortTransport(series.name) },
      { head: group.x.noun, quantity: group.x, cell: ({ x }) => x },
      { head: axis.name, cell: (one) => String(axesOf(one.group)[axis.name]) },
      ...sideTimes(group.row).map(
        ({ name, head }): CellColumn<BoundShare> => ({
          head,
          quantity: 'ns',
          priority: 2,
          cell: (one) => {
            const cell = cellOf(one);
            return cell === null ? null : (sideOf(cell, name)?.value ?? null);
          },
        }),
      ),
      { head: 'all', align: 'right', cell: ({ timeNs }) => formatTime(timeNs) },
      {
        head: charted?.head ?? 'rate',
        align: 'right',
        priority: 1,
        cell: (one) => {
          const value = charted === undefined ? null : rateOf(cellOf(one), one.group, charted.name);
          return charted === undefined || value === null ? null : figureText(charted.unit, value);
        },
      },
      {
        head: `of ${axis.bound}`,
        align: 'right',
        isLong: true,
        cell: ({ share }) => (share === null ? 'bound' : boundShareText(share)),
      },
    ],
    shares.toSorted((a, b) => order(a, b)),
    {
      title: 'Share of the bound.',
      caption: `The bound is ${axis.titlePrefix ?? ''}${axis.bound}: the same bytes at the lowest cost per message. ± is half the 95 % interval. Above 100 %, several messages overlap better than one.`,
    },
  );
}

const order = (a: BoundShare, b: BoundShare): number => a.series.key.localeCompare(b.series.key) || a.x - b.x;
