// Tables of the fastest algorithm and protocol, for terminal and report.
import { type DocumentTable, tableOf } from './document/blocks.ts';
import {
  type AlgorithmSweep,
  type FastestRange,
  fastestRanges,
  fastestTimeText,
  rangeOfSizesText,
  winnersText,
} from './fastest-choices.ts';
import { rangeText } from './rows.ts';
import { capitalise, plural } from './wording.ts';

/** Returns the title that the tables of a sweep share: "fastest over socket of 7 choices (tie: 95 % intervals overlap)". */
export const fastestTitle = ({ name, choices }: AlgorithmSweep): string =>
  `fastest over ${name} of ${plural(choices, 'choice')} (tie: 95 % intervals overlap)`;

/** Returns one table per main measured time: the fastest algorithm and protocol of each range of sizes, or those that tie. */
export const fastestTables = (sweep: AlgorithmSweep): DocumentTable[] =>
  sweep.sides.map(({ name, title }) =>
    tableOf<FastestRange>(
      [
        {
          head: sweep.group.x.noun,
          align: 'right',
          only: ['terminal'],
          cell: (range) => rangeOfSizesText(sweep.group, range),
        },
        {
          head: sweep.group.x.noun,
          align: 'right',
          only: ['page'],
          cell: ({ first, last }) => rangeText(sweep.group.x, [first, last]),
        },
        {
          head: `by ${title}`,
          minWidth: 24,
          isLong: true,
          cell: ({ best: [fastest] }) => (fastest === undefined ? '' : winnersText(fastest)),
        },
        { head: 'time', priority: 1, cell: ({ best }) => fastestTimeText(best) },
      ],
      fastestRanges(sweep.rows, name),
      { caption: `${capitalise(fastestTitle(sweep))}.` },
    ),
  );
