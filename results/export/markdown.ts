// A run as a Markdown table: step summaries of GitHub and GitLab, comments, wikis.
import { groupOf } from '../derive/cell-group.ts';
import { nameOfGroup } from '../history/series-name.ts';
import type { CellRecord, OkCell, RunRecord, TrialFigures } from '../schema/index.ts';
import { durationText, sizeText } from '../units.ts';

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
    const name = groupOf(cell).series;
    series.set(name, [...(series.get(name) ?? []), cell]);
  }
  let left = mostRows;
  const tables = [...series].flatMap(([key, own]) => {
    const rows = own.slice(0, Math.max(0, left));
    left -= rows.length;
    return rows.length === 0
      ? []
      : ['', `#### ${plain(nameOfGroup(`${key}/small`).title)}`, '', ...tableOf(rows)];
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
    ...(more > 0 ? ['', `and ${more} cells more: \`collbench show ${id}\``] : []),
    '',
  ].join('\n');
}

function tableOf(cells: readonly CellRecord[]): string[] {
  return [
    '| size | time | 95 % interval | pipelined | bus bandwidth | wrong | |',
    '|---:|---:|---:|---:|---:|---:|---|',
    ...cells.map((cell) => `| ${(cell.status === 'ok' ? okRow(cell) : otherRow(cell)).join(' | ')} |`),
  ];
}

const otherRow = (cell: Exclude<CellRecord, OkCell>): string[] => [
  sizeText(cell.payloadBytes),
  ...['', '', '', '', ''],
  `${cell.status}: ${plain(cell.reason)}`,
];

function okRow(cell: OkCell): string[] {
  const { isolated, pipelined, verification, evidence, flags, group } = cell;
  const headline = isolated ?? pipelined;
  const notes = [
    ...(group === undefined ? [] : [group.name]),
    ...(cell.medium === 'emulated' ? ['emulated'] : []),
    ...(evidence.verdict === 'contradicted' ? ['transport contradicted'] : []),
    ...flags,
  ];
  return [
    sizeText(cell.payloadBytes),
    headline === null ? '' : durationText(headline.medianNs),
    intervalText(headline),
    isolated === null || pipelined === null ? '' : durationText(pipelined.medianNs),
    headline === null ? '' : `${Number(headline.busGBps.toPrecision(3))} GB/s`,
    verification.enabled ? String(verification.wrongElements) : 'not verified',
    plain(notes.join(', ')),
  ];
}

function intervalText(figures: TrialFigures | null): string {
  if (figures?.interval == null) return '';
  return `${durationText(figures.interval.lowNs)} to ${durationText(figures.interval.highNs)}`;
}
