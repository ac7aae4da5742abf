// Renders a run as a Markdown table: for step summaries of GitHub and GitLab, comments, wikis.
import { addTo } from '../add-to.ts';
import { xText } from '../axis-text.ts';
import { seriesKeyOf } from '../derive/cells/cell-group.ts';
import { isRetriedCell, retriedLegend, retriedMark } from '../derive/index.ts';
import { nameOfSeries } from '../history/series-name.ts';
import { escapeMarkdown } from '../markup-text.ts';
import {
  type CellRecord,
  dataOf,
  derivedOf,
  flagText,
  headlineNames,
  headlineOf,
  keyWithout,
  type MeasuredFigure,
  measuredOf,
  type OkCell,
  type RunRecord,
  type WorkloadData,
} from '../schema/index.ts';
import { countText, formatBandwidth, formatRate, formatTime, plusMinus } from '../units.ts';

/** Highest number of table rows. GitHub accepts 1 MiB per step, and a row has about 100 bytes. */
const mostRows = 500;

/** Returns a run as Markdown: summary, failures, and measured times and bandwidths in one table per series. */
export function runToMarkdown(record: RunRecord, cells: readonly CellRecord[]): string {
  const { id, title, startedAt, state, failures, summary } = record;
  const series = new Map<string, CellRecord[]>();
  for (const cell of cells) {
    const name = keyWithout(seriesKeyOf(cell), flagsOf(cell));
    addTo(series, name, cell);
  }
  const isRetried = isRetriedCell(record);
  /** Returns the mark before a time that was measured again ("*4.71 µs"); "" for other times. */
  const markOf: CellMark = (cell) => (isRetried(cell) ? escapeMarkdown(retriedMark) : '');
  const legend = retriedLegend(record);
  let left = mostRows;
  const tables = [...series].flatMap(([key, own]) => {
    const rows = own.slice(0, Math.max(0, left));
    left -= rows.length;
    if (rows.length === 0) return [];
    const sides = sidesOf(rows);
    const title = sides.length > 1 ? key : seriesKeyOf(rows[0] as CellRecord);
    const table = sides.length > 1 ? sideTable(sides, markOf) : tableOf(rows, markOf);
    return ['', `#### ${escapeMarkdown(nameOfSeries(title).title)}`, '', ...table];
  });
  const more = cells.length - mostRows;
  return [
    `### ${escapeMarkdown(title)}`,
    '',
    `Run \`${id}\`, ${startedAt.slice(0, 16).replace('T', ' ')} UTC, **${state}**`,
    '',
    ...failures.map(({ message }) => `- **${escapeMarkdown(message)}**`),
    ...(summary?.sentences ?? []).map((sentence) => `- ${escapeMarkdown(sentence)}`),
    ...tables,
    ...(legend === '' ? [] : ['', escapeMarkdown(legend)]),
    ...(more > 0 ? ['', `and ${more} more configurations: \`collbench show ${id}\``] : []),
    '',
  ].join('\n');
}

/** Returns the names of two-valued axes. Their values are shown side by side, as nccl-tests shows in place and out of place. */
const flagsOf = ({ workload }: CellRecord): string[] =>
  dataOf(workload).axes.flatMap(({ name, words }) => (words === undefined ? [] : [name]));

/** Returns the mark before a time that comes from a repeated measurement; "" for other times. */
type CellMark = (cell: OkCell) => string;

interface MarkdownSide {
  title: string;
  cells: CellRecord[];
}

/** Divides results by the values of their two-valued axes, such as in place or not. Each part is one side of the table. */
function sidesOf(cells: readonly CellRecord[]): MarkdownSide[] {
  const sides = new Map<string, MarkdownSide>();
  for (const cell of cells) {
    const { axes } = dataOf(cell.workload);
    const title = axes.flatMap((axis) => flagText(axis, cell.axes[axis.name] ?? null) ?? []).join(', ');
    const side = sides.get(title) ?? { title, cells: [] };
    side.cells.push(cell);
    sides.set(title, side);
  }
  return [...sides.values()];
}

/**
 * Returns a table with a row for each x value. The sides follow one another in the row, each with time, rate and number of wrong
 * elements.
 */
function sideTable(sides: readonly MarkdownSide[], markOf: CellMark): string[] {
  const row = dataOf(sides[0]?.cells[0]?.workload ?? '');
  const heads = ['time', ...chartedOf(row).map(({ title }) => title), 'wrong'];
  const xs = [...new Set(sides.flatMap(({ cells }) => cells.map(xText)))];
  const noun = row.axes.find(({ role }) => role === 'x')?.head ?? '';
  const all = sides.flatMap(({ title }) => heads.map((head) => `${title}: ${head}`));
  return [
    `| ${[noun, ...all].join(' | ')} | |`,
    `|${[noun, ...all].map(() => '---:|').join('')}---|`,
    ...xs.map((x) => {
      const mine = sides.map(({ cells }) => cells.find((cell) => xText(cell) === x));
      const values = mine.flatMap((cell) => sideOf(row, cell, heads.length, markOf));
      return `| ${[x, ...values, escapeMarkdown(notesOf(sides, mine))].join(' | ')} |`;
    }),
  ];
}

function sideOf(
  row: WorkloadData,
  cell: CellRecord | undefined,
  columns: number,
  markOf: CellMark,
): string[] {
  if (cell?.status !== 'ok') return new Array<string>(columns).fill('');
  const headline = headlineOf(row, cell);
  const time = headline === null ? '' : markOf(cell) + formatTime(headline.value) + spreadText(headline);
  return [time, ...ratesOf(row, cell), wrongText(cell)];
}

/** Returns remarks (flags, failures) on the results in one row. If sides differ, each remark has the title of its side. */
function notesOf(sides: readonly MarkdownSide[], cells: readonly (CellRecord | undefined)[]): string {
  const notes = cells.map((cell) => {
    if (cell === undefined) return '';
    return cell.status === 'ok' ? remarksOf(cell) : `${cell.status}: ${cell.reason}`;
  });
  if (new Set(notes).size === 1) return notes[0] ?? '';
  return notes.flatMap((note, i) => (note === '' ? [] : [`${sides[i]?.title}: ${note}`])).join('; ');
}

/** Returns the Markdown lines of a table. @param cells results of one series, one row each @param markOf mark before a time */
function tableOf(cells: readonly CellRecord[], markOf: CellMark): string[] {
  const row = dataOf(cells[0]?.workload ?? '');
  const heads = [
    row.axes.find(({ role }) => role === 'x')?.head ?? '',
    ...['time', '95 % interval'],
    ...headlineNames(row).slice(1),
    ...chartedOf(row).map(({ title }) => title),
    'wrong',
  ];
  return [
    `| ${heads.join(' | ')} | |`,
    `|${heads.map(() => '---:|').join('')}---|`,
    ...cells.map((cell) => {
      const values = cell.status === 'ok' ? okRow(row, cell, markOf) : otherRow(cell, heads.length - 1);
      return `| ${values.join(' | ')} |`;
    }),
  ];
}

/** Returns the derived values (such as bus bandwidth) that charts of the workload show. */
const chartedOf = ({ figures }: WorkloadData) =>
  figures.filter(({ isCharted, from }) => isCharted === true && from.length > 0);

const otherRow = (cell: Exclude<CellRecord, OkCell>, empty: number): string[] => [
  xText(cell),
  ...new Array<string>(empty).fill(''),
  `${cell.status}: ${escapeMarkdown(cell.reason)}`,
];

function okRow(row: WorkloadData, cell: OkCell, markOf: CellMark): string[] {
  const headline = headlineOf(row, cell);
  const others = headlineNames(row)
    .slice(1)
    .map((name) => (name === headline?.name ? null : measuredOf(cell, name)));
  return [
    xText(cell),
    headline === null ? '' : markOf(cell) + formatTime(headline.value),
    intervalText(headline),
    ...others.map((one) => (one === null ? '' : formatTime(one.value))),
    ...ratesOf(row, cell),
    wrongText(cell),
    escapeMarkdown(remarksOf(cell)),
  ];
}

const rateTexts = { 'GB/s': formatBandwidth, '1/s': formatRate, ns: formatTime, '1': countText };

function ratesOf(row: WorkloadData, cell: OkCell): string[] {
  const headline = headlineOf(row, cell);
  return chartedOf(row).map(({ name }) => {
    const one = headline === null ? null : derivedOf(cell, name, headline.name);
    return one === null ? '' : rateTexts[one.unit](one.value);
  });
}

const wrongText = ({ verification: { enabled, wrongElements } }: OkCell): string =>
  enabled ? String(wrongElements) : 'not verified';

const remarksOf = ({ group, medium, evidence, flags }: OkCell): string =>
  [
    ...(group === undefined ? [] : [group.name]),
    ...(medium === 'emulated' ? ['emulated'] : []),
    ...(evidence.verdict === 'contradicted' ? ['transport contradicted'] : []),
    ...flags.map(({ name }) => name),
  ].join(', ');

function spreadText({ value, interval }: MeasuredFigure): string {
  if (interval === null) return '';
  return ` ${plusMinus(value, interval)}`;
}

function intervalText(figure: MeasuredFigure | null): string {
  if (figure?.interval == null) return '';
  return `${formatTime(figure.interval.low)} to ${formatTime(figure.interval.high)}`;
}
