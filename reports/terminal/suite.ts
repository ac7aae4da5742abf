// Terminal output of a suite, one line per entry. Names and reasons come from files and hosts, so control characters in them are
// replaced.
import { addTo } from '../../results/collections.ts';
import type { SuiteEntry, SuiteRecord, SuiteRun } from '../../results/schema/index.ts';
import { sanitiseText } from '../../results/text.ts';
import type { DocumentBlock } from '../document/blocks.ts';
import { terminalText } from '../document/terminal.ts';
import { findingDocument } from '../suite-findings.ts';
import { formatDuration, joinWords, plural, wrap } from '../wording.ts';
import { fit, fitEnds } from './columns.ts';

const nameWidth = 34;
/** Maximum number of characters of a printed reason; the file suite.json has it in full. */
const reasonWidth = 240;

const nameOf = ({ name }: SuiteEntry): string => sanitiseText(fitEnds(name, nameWidth)).padEnd(nameWidth);
const reasonText = (text: string): string => sanitiseText(fit(text, reasonWidth));

/**
 * Returns the lines printed before a suite runs: what will be measured, how long it takes, and which entries and transports are
 * left out, with the reasons (cannotRunLines).
 * @param estimateS estimated duration of the suite in seconds
 */
export function suiteHead(
  { id, name, title, entries }: SuiteRecord,
  estimateS: number,
  width: number,
): string {
  const cells = entries.reduce((sum, entry) => sum + entry.cells.expected, 0);
  const lines = [
    sanitiseText(title === name ? name : `${name}: ${title}`),
    `  ${plural(entries.length, 'entry', 'entries')}, ${plural(cells, 'configuration')}, about ${formatDuration(estimateS)} · suite ${id}`,
    '',
    ...cannotRunLines(entries, width),
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * Returns lines about suite entries (benchmark commands) that cannot run here or are not needed, and about transports that entries
 * leave out, with the reasons. Entries with equal reasons share a sentence.
 */
export function cannotRunLines(entries: readonly SuiteEntry[], width: number): string[] {
  const names = new Map<string, string[]>();
  for (const { name, status, reason, leftOut } of entries) {
    const texts = [
      ...(status === 'cannot-run' ? [`cannot run here: ${reason ?? ''}`] : []),
      ...(status === 'not-needed' ? [`not needed: ${reason ?? ''}`] : []),
      ...leftOut.map((one) => `without ${one.transport}: ${one.reason}`),
    ];
    for (const text of texts) addTo(names, text, name);
  }
  return [...names].flatMap(([text, of]) =>
    wrap(`${joinWords(of)} ${reasonText(text)}`, width - 2, '  ').map((part) => `  ${sanitiseText(part)}`),
  );
}

/**
 * Returns the line printed after a suite entry (one benchmark command) was measured. Unless `isAgain`, the entry's reason follows
 * below it if it has one, such as that of a failure.
 * @param runs runs of the entry that were measured now
 * @param seconds time that these runs took
 * @param isAgain true if this was the second measurement, which confirms a change
 */
export function suiteEntryLines(
  entry: SuiteEntry,
  runs: readonly SuiteRun[],
  seconds: number,
  isAgain: boolean,
  width: number,
): string {
  const { measured, expected } = entry.cells;
  const cells = `${measured}/${expected} measured`.padStart(16);
  const time = formatDuration(seconds).padStart(11);
  const [first] = runs;
  const which = runs.length === 1 && first !== undefined ? `run ${first.id}` : plural(runs.length, 'run');
  const why = entry.reason === null || isAgain ? [] : wrap(reasonText(entry.reason), width - 4);
  const line = `  ${nameOf(entry)}${cells}${time}  ${which}${isAgain ? ', again' : ''}`;
  return [line, ...why.map((part) => `    ${part}`), ''].join('\n');
}

/**
 * Returns the text printed after a suite ran: counts of entries, path of the report, main results, and last whether the suite works
 * on this machine. The gate's verdict is not part of it.
 * @param page path of the suite's HTML page, as users type it
 * @param answers main results as sentences, from `suiteAnswers`
 */
export function suiteFoot(
  record: SuiteRecord,
  page: string,
  columns: number,
  answers: readonly DocumentBlock[] = [],
): string {
  const { entries } = record;
  const of = (...states: SuiteEntry['status'][]) =>
    entries.filter(({ status }) => states.includes(status)).length;
  const counts = [
    [of('cannot-run'), 'cannot run here'],
    [of('not-needed'), 'not needed'],
    [of('incomplete'), 'incomplete'],
    [of('failed', 'interrupted'), 'failed'],
    [of('not-reached'), 'not reached'],
  ] as const;
  const parts = [
    `${of('measured')} of ${plural(entries.length, 'entry', 'entries')} measured`,
    ...counts.flatMap(([n, words]) => (n > 0 ? [`${n} ${words}`] : [])),
  ];
  // The path is not wrapped, so that users can copy it.
  return `\n${parts.join(', ')} · report: ${page}\n\n${terminalText(findingDocument(record, answers), { columns, color: false })}`;
}
