import type pc from 'picocolors';
import type { FigureData } from '../../results/schema/index.ts';
import {
  type AlgorithmSweep,
  fastestRanges,
  fastestTimeText,
  rangeOfSizesText,
  sweepsOf,
  winnersText,
} from '../fastest-choices.ts';
import type { SeriesGroup } from '../series.ts';
import { plural, wrap } from '../wording.ts';
import { column, headLine, line } from './columns.ts';

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
      ...sides.flatMap((side) => stretchLines(sweep, side, width, colours)),
    ];
  });
  const rest = sweeps.length - most;
  return [...lines, ...(rest > 0 ? [`${plural(rest, 'more such table')} in the report`] : []), ''];
}

function stretchLines(
  { group, rows }: AlgorithmSweep,
  side: FigureData,
  width: number,
  colours: ReturnType<typeof pc.createColors>,
): string[] {
  const texts = fastestRanges(rows, side.name).map((stretch) => ({
    sizes: rangeOfSizesText(group, stretch),
    winners: stretch.best[0] === undefined ? '' : winnersText(stretch.best[0]),
    time: fastestTimeText(stretch.best),
  }));
  if (texts.length === 0) return [];
  const widest = (key: 'sizes' | 'winners' | 'time') => Math.max(...texts.map((t) => t[key].length));
  const head = `by ${side.title}`;
  const sizes = column('sizes', group.x.noun, widest('sizes'));
  const times = column('time', '', widest('time'), 'left');
  const named = (room: number) => column('winners', head, Math.min(room, widest('winners')), 'left');
  const room = width - sizes.width - 2;
  // On a narrow terminal names are shown instead of times.
  const fits = room - times.width - 2 >= Math.min(24, widest('winners'));
  const columns = fits ? [sizes, named(room - times.width - 2), times] : [sizes, named(room)];
  return [colours.dim(headLine(columns)), ...texts.map((t) => line(columns, t))];
}
