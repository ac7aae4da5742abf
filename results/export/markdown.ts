// A run as a Markdown table: step summaries of GitHub and GitLab, comments, wikis.
import { xText } from '../axis-text.ts';
import { seriesKeyOf } from '../derive/cell-group.ts';
import { nameOfSeries } from '../history/series-name.ts';
import {
  type CellRecord,
  dataOf,
  derivedOf,
  headlineNames,
  headlineOf,
  type MeasuredFigure,
  measuredOf,
  type OkCell,
  type RunRecord,
  type WorkloadData,
} from '../schema/index.ts';
import { durationText } from '../units.ts';

/** GitHub takes 1 MiB of a step; a row has some 100 bytes. */
const mostRows = 500;

/** Text of anybody in a cell or a line: nothing in it is markup. */
const plain = (text: string): string =>
  text
    .replaceAll(/\p{Cc}+/gu, ' ')
    .replaceAll(/[\\`*_{}[\]<>#|~&@]/g, (c) => `&#${c.charCodeAt(0)};`)
    // A bare address would become a link.
    .replaceAll('://', '&#58;//')
    .replaceAll(/www\./gi, (word) => `${word.slice(0, 3)}&#46;`);

/** What was measured, what is wrong, and the figures: one table per series. */
export function runToMarkdown(record: RunRecord, cells: readonly CellRecord[]): string {
  const { id, title, startedAt, state, failures, summary } = record;
  const series = new Map<string, CellRecord[]>();
  for (const cell of cells) {
    const name = seriesKeyOf(cell);
    series.set(name, [...(series.get(name) ?? []), cell]);
  }
  let left = mostRows;
  const tables = [...series].flatMap(([key, own]) => {
    const rows = own.slice(0, Math.max(0, left));
    left -= rows.length;
    return rows.length === 0 ? [] : ['', `#### ${plain(nameOfSeries(key).title)}`, '', ...tableOf(rows)];
  });
  const more = cells.length - mostRows;
  return [
    `### ${plain(title)}`,
    '',
    `Run \`${id}\`, ${startedAt.slice(0, 16).replace('T', ' ')} UTC, **${state}**`,
    '',
    ...failures.map(({ message }) => `- **${plain(message)}**`),
    ...(summary?.sentences ?? []).map((sentence) => `- ${plain(sentence)}`),
    ...tables,
    ...(more > 0 ? ['', `and ${more} more configurations: \`collbench show ${id}\``] : []),
    '',
  ].join('\n');
}

/** @param cells of one series */
function tableOf(cells: readonly CellRecord[]): string[] {
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
      const values = cell.status === 'ok' ? okRow(row, cell) : otherRow(cell, heads.length - 1);
      return `| ${values.join(' | ')} |`;
    }),
  ];
}

/** Figures made of the headline that a reader wants to see. */
const chartedOf = ({ figures }: WorkloadData) =>
  figures.filter(({ isCharted, from }) => isCharted === true && from.length > 0);

const otherRow = (cell: Exclude<CellRecord, OkCell>, empty: number): string[] => [
  xText(cell),
  ...new Array<string>(empty).fill(''),
  `${cell.status}: ${plain(cell.reason)}`,
];

function okRow(row: WorkloadData, cell: OkCell): string[] {
  const { verification, evidence, flags, group } = cell;
  const headline = headlineOf(row, cell);
  const others = headlineNames(row)
    .slice(1)
    .map((name) => (name === headline?.name ? null : measuredOf(cell, name)));
  const derived = chartedOf(row).map(({ name }) => headline && derivedOf(cell, name, headline.name));
  const notes = [
    ...(group === undefined ? [] : [group.name]),
    ...(cell.medium === 'emulated' ? ['emulated'] : []),
    ...(evidence.verdict === 'contradicted' ? ['transport contradicted'] : []),
    ...flags.map(({ name }) => name),
  ];
  return [
    xText(cell),
    headline === null ? '' : durationText(headline.value),
    intervalText(headline),
    ...others.map((one) => (one === null ? '' : durationText(one.value))),
    ...derived.map((one) => (one === null ? '' : `${Number(one.value.toPrecision(3))} ${one.unit}`)),
    verification.enabled ? String(verification.wrongElements) : 'not verified',
    plain(notes.join(', ')),
  ];
}

function intervalText(figure: MeasuredFigure | null): string {
  if (figure?.interval == null) return '';
  return `${durationText(figure.interval.low)} to ${durationText(figure.interval.high)}`;
}
