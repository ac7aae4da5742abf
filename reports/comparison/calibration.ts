import pc from 'picocolors';
import { effectText } from '../../results/compare/index.ts';
import type { Calibration } from '../../results/schema/index.ts';
import { column, headLine, line } from '../terminal/columns.ts';
import { plural, wrap } from '../wording.ts';
import { plain, xTexts } from './texts.ts';

const percent = (share: number | null): string => (share === null ? '-' : effectText(share));

/**
 * Returns the results of a calibration as text for a terminal. A calibration compares runs of equal software, so that every
 * reported change is a false alarm.
 */
export function calibrationText(
  found: Calibration,
  { columns, color }: { columns: number; color: boolean },
): string {
  const width = Math.max(40, columns);
  const colours = pc.createColors(color);
  const head = [
    column('sizes', 'size', 17, 'left', 0),
    column('alarms', 'alarms', 7),
    column('scatter', 'launches ±', 11),
    ...(width >= 56 ? [column('cell', 'one size ±', 11)] : []),
    ...(width >= 72 ? [column('seen', 'detectable', 15)] : []),
  ];
  const titles = [...new Set(found.byGroup.map(({ title }) => title))];
  const lines = titles.flatMap((title) => [
    '',
    ...wrap(plain(title, 160), width),
    colours.dim(headLine(head)),
    ...found.byGroup
      .filter((group) => group.title === title)
      .map((group) =>
        line(head, {
          sizes: xTexts(group.key, group.xs),
          alarms: `${group.alarms}/${group.tests}`,
          scatter: percent(group.scatter),
          cell: percent(group.cellScatter),
          seen: percent(group.detectable),
        }),
      ),
  ]);
  const runs = found.runs.map(([a, b]) => `${plain(a, 12)} ${plain(b, 12)}`).join(', ');
  return `${[
    ...lines,
    '',
    ...found.sentences.flatMap((sentence) => wrap(sentence, width)),
    ...wrap(`${plural(found.launches, 'launch', 'launches')} in each run; kept: ${runs}`, width),
  ].join('\n')}\n`.replace(/^\n/, '');
}
