// Terminal output of a suite, one line per entry. Names and reasons come from files and hosts, so they are sanitised.
import { addTo } from '../../results/add-to.ts';
import type { SuiteEntry, SuiteFinding, SuiteRecord, SuiteRun } from '../../results/schema/index.ts';
import { sanitiseText } from '../../results/text.ts';
import { suiteFindingSentence, suiteFindingTable } from '../suite-findings.ts';
import { formatDuration, joinWords, plural, wrap } from '../wording.ts';
import { column, fit, fitEnds, line } from './columns.ts';

const nameWidth = 34;
/** Maximum characters of a printed reason; the file suite.json has it whole. */
const reasonWidth = 240;

const nameOf = ({ name }: SuiteEntry): string => sanitiseText(fitEnds(name, nameWidth)).padEnd(nameWidth);
const reasonText = (text: string): string => sanitiseText(fit(text, reasonWidth));

/** Returns the lines printed before a suite runs: what will be measured, and which entries cannot run on this machine. */
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
 * Returns which suite entries and transports cannot run or are not needed, with the reasons. Entries with equal reasons share
 * a sentence.
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
 * Returns the line printed after a suite entry was measured.
 * @param runs runs of the entry that were measured now
 * @param isAgain true if this was the second measurement, which confirms a change
 */
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
  const bad = entry.reason === null || isAgain ? '' : `  ${sanitiseText(entry.reason)}`;
  return `  ${nameOf(entry)}${cells}${time}  ${which}${isAgain ? ', again' : ''}${bad}\n`;
}

/**
 * Returns the text printed after a suite ran: main results, counts, file paths, and last whether the suite works on this
 * machine. The gate's verdict is not part of it.
 * @param page path of the suite's HTML page, as users type it
 */
export function suiteFoot({ entries, found }: SuiteRecord, page: string, width: number): string {
  const of = (...states: SuiteEntry['status'][]) =>
    entries.filter(({ status }) => states.includes(status)).length;
  const counts = [
    [of('cannot-run'), 'cannot run here'],
    [of('not-needed'), 'not needed'],
    [of('failed', 'interrupted'), 'failed'],
    [of('not-reached'), 'not reached'],
  ] as const;
  const parts = [
    `${of('measured')} of ${plural(entries.length, 'entry', 'entries')} measured`,
    ...counts.flatMap(([n, words]) => (n > 0 ? [`${n} ${words}`] : [])),
  ];
  return sanitiseText(
    [
      '',
      ...(found === undefined ? [] : figureLines(found, width)),
      `${parts.join(', ')} · report: ${page}`,
      ...(found === undefined ? [] : foundLines(found, width)),
      '',
    ].join('\n'),
  );
}

/** Maximum number of series in the terminal; the suite's HTML page has all. */
const mostSeries = 24;
const mostProblems = 8;

function figureLines(found: SuiteFinding, width: number): string[] {
  const { heads, rows } = suiteFindingTable(found);
  if (rows.length === 0) return [];
  const widthOf = (key: 'small' | 'large' | 'transport', head: string): number =>
    Math.max(head.length, ...rows.map((row) => row[key].length));
  const widths = {
    transport: Math.min(24, widthOf('transport', 'transport')),
    small: widthOf('small', heads.small),
    large: widthOf('large', heads.large),
  };
  const rest = [
    column('transport', 'transport', widths.transport, 'left'),
    column('small', heads.small, widths.small, 'left'),
    column('large', heads.large, widths.large, 'left'),
  ];
  const title = Math.max('series'.length, ...rows.map((row) => row.title.length));
  const isBeside = title <= width - widths.transport - widths.small - widths.large - 6;
  const columns = isBeside ? [column('title', 'series', title, 'left', 0), ...rest] : rest;
  const shown = (values: Readonly<Record<string, string>>): string =>
    `${isBeside ? '' : '  '}${line(columns, values)}`;
  const more = rows.length - mostSeries;
  return [
    shown({ title: 'series', transport: 'transport', ...heads }),
    ...rows.slice(0, mostSeries).flatMap((row, at) => {
      const figures = shown({ ...row, transport: fit(row.transport, widths.transport) });
      // The names of series differ at their ends; cut names would look alike, so a long name gets a line of its own.
      const isNew = !isBeside && row.title !== rows[at - 1]?.title;
      return isNew ? [...wrap(row.title, width, ''), figures] : [figures];
    }),
    ...(more > 0 ? [`and ${more} more series: see the report`] : []),
    '',
  ];
}

function foundLines(found: SuiteFinding, width: number): string[] {
  const more = found.problems.length - mostProblems;
  return [
    ...wrap(suiteFindingSentence(found), width, '  '),
    ...found.problems
      .slice(0, mostProblems)
      .flatMap((text) => wrap(fit(text, 3 * width), width - 2, '  ').map((part) => `  ${part}`)),
    ...(more > 0 ? [`  and ${more} more: suite.json`] : []),
  ];
}
