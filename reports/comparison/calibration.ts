import { effectText } from '../../results/judge/verdict-text.ts';
import type { Calibration } from '../../results/schema/index.ts';
import { type DocumentBlock, tableOf } from '../document/blocks.ts';
import { type TerminalForm, terminalText } from '../document/terminal.ts';
import { plural } from '../wording.ts';
import { plain, xTexts } from './texts.ts';

const percent = (share: number | null): string | null => (share === null ? null : effectText(share));

/**
 * Returns the results of a calibration (`collbench aa`) as text for a terminal. A calibration compares runs of equal software, so
 * that every reported change is a false alarm.
 */
export function calibrationText(found: Calibration, form: TerminalForm): string {
  const runs = found.runs.map(([a, b]) => `${plain(a, 12)} ${plain(b, 12)}`).join(', ');
  const kept = `${plural(found.launches, 'launch', 'launches')} in each run; kept: ${runs}`;
  const table = tableOf(
    [
      { head: 'series', names: 'above', cell: ({ title }) => plain(title, 160) },
      { head: 'size', width: 17, cell: ({ key, xs }) => xTexts(key, xs) },
      { head: 'alarms', align: 'right', cell: ({ alarms, tests }) => `${alarms}/${tests}` },
      { head: 'launches ±', align: 'right', cell: ({ scatter }) => percent(scatter) },
      { head: 'one size ±', align: 'right', priority: 1, cell: ({ cellScatter }) => percent(cellScatter) },
      { head: 'detectable', align: 'right', priority: 2, cell: ({ detectable }) => percent(detectable) },
    ],
    found.byGroup,
  );
  const texts = [...found.sentences, kept].map((text): DocumentBlock => ({ kind: 'paragraph', text }));
  return terminalText([table, ...texts], form);
}
