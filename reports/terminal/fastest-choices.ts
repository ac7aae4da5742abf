import type pc from 'picocolors';
import type { FigureData } from '../../results/schema/index.ts';
import { type DocumentTable, tableOf } from '../document/blocks.ts';
import { terminalLines } from '../document/terminal.ts';
import {
  type AlgorithmSweep,
  type FastestRange,
  fastestRanges,
  fastestTimeText,
  rangeOfSizesText,
  sweepsOf,
  winnersText,
} from '../fastest-choices.ts';
import type { SeriesGroup } from '../series.ts';
import { plural, wrap } from '../wording.ts';

/** Maximum number of tables. More would be longer than the table of the run; the report has all. */
const most = 4;

/**
 * Returns tables of the fastest algorithm and protocol per size, one for each transport that was measured with several of
 * them. Empty if no algorithm or protocol was fixed.
 * @param width width of the terminal
 */
export function fastestChoiceLines(
  groups: readonly SeriesGroup[],
  width: number,
  colours: ReturnType<typeof pc.createColors>,
): string[] {
  const sweeps = groups.flatMap(sweepsOf);
  if (sweeps.length === 0) return [];
  const lines = sweeps.slice(0, most).flatMap((sweep) => {
    const { group, name, choices, sides } = sweep;
    const title = groups.length > 1 ? `${group.title}, ` : '';
    const what = `${title}fastest over ${name} of ${plural(choices, 'choice')} (tie: 95 % intervals overlap)`;
    return [
      '',
      ...wrap(what, width, '  ').map(colours.bold),
      ...sides.flatMap((side) =>
        terminalLines([rangeTable(sweep, side)], { columns: width, color: colours.isColorSupported }),
      ),
    ];
  });
  const rest = sweeps.length - most;
  return [...lines, ...(rest > 0 ? [`${plural(rest, 'more such table')} in the report`] : []), ''];
}

/** Returns the table of the fastest choices by one measured time. Narrow terminals show no times. */
const rangeTable = ({ group, rows }: AlgorithmSweep, side: FigureData): DocumentTable =>
  tableOf<FastestRange>(
    [
      { head: group.x.noun, align: 'right', cell: (range) => rangeOfSizesText(group, range) },
      {
        head: `by ${side.title}`,
        minWidth: 24,
        cell: ({ best: [first] }) => (first === undefined ? '' : winnersText(first)),
      },
      { head: '', priority: 1, cell: ({ best }) => fastestTimeText(best) },
    ],
    fastestRanges(rows, side.name),
  );
