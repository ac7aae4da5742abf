// A suite on the screen: a line per entry. Names and reasons come from files and machines.
import type { SuiteEntry, SuiteRecord, SuiteRun } from '../../results/schema/index.ts';
import { harmless } from '../../results/text.ts';
import { formatDuration, plural } from '../wording.ts';
import { fit } from './columns.ts';

const nameWidth = 34;
/** Of a reason; suite.json has it whole. */
const reasonWidth = 160;

const nameOf = ({ name }: SuiteEntry): string => harmless(fit(name, nameWidth)).padEnd(nameWidth);
const reasonText = (text: string): string => harmless(fit(text, reasonWidth));

/** What will be measured, and what of it cannot run here. */
export function suiteHead({ id, name, title, entries }: SuiteRecord, estimateS: number): string {
  const cells = entries.reduce((sum, entry) => sum + entry.cells.expected, 0);
  const lines = [
    harmless(title === name ? name : `${name}: ${title}`),
    `  ${plural(entries.length, 'entry', 'entries')}, ${plural(cells, 'cell')}, about ${formatDuration(estimateS)} · suite ${id}`,
    '',
    ...entries.flatMap((entry) => [
      ...(entry.status === 'cannot-run'
        ? [`  ${nameOf(entry)}  cannot run here: ${reasonText(entry.reason ?? '')}`]
        : []),
      ...entry.leftOut.map(
        ({ transport, reason }) => `  ${nameOf(entry)}  ${reasonText(`without ${transport}: ${reason}`)}`,
      ),
    ]),
  ];
  return `${lines.join('\n')}\n`;
}

/** Of one pass over an entry. @param runs of this pass */
export function suiteEntryLine(
  entry: SuiteEntry,
  runs: readonly SuiteRun[],
  seconds: number,
  isAgain: boolean,
): string {
  const { measured, expected } = entry.cells;
  const cells = `${measured}/${expected} cells`.padStart(13);
  const time = formatDuration(seconds).padStart(11);
  const [first] = runs;
  const which = runs.length === 1 && first !== undefined ? `run ${first.id}` : plural(runs.length, 'run');
  const bad = entry.reason === null || isAgain ? '' : `  ${harmless(entry.reason)}`;
  return `  ${nameOf(entry)}${cells}${time}  ${which}${isAgain ? ', again' : ''}${bad}\n`;
}

/** What there is at the end, without the gate. @param page as people type its path */
export function suiteFoot({ entries }: SuiteRecord, page: string): string {
  const of = (...states: SuiteEntry['status'][]) =>
    entries.filter(({ status }) => states.includes(status)).length;
  const counts = [
    [of('cannot-run'), 'cannot run here'],
    [of('failed', 'interrupted'), 'failed'],
    [of('not-reached'), 'not reached'],
  ] as const;
  const parts = [
    `${of('measured')} of ${plural(entries.length, 'entry', 'entries')} measured`,
    ...counts.flatMap(([n, words]) => (n > 0 ? [`${n} ${words}`] : [])),
  ];
  return `\n${parts.join(', ')} · report: ${page}\n`;
}
