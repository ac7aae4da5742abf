import { escapeMarkdown } from '../../results/markup-text.ts';
import { fit } from '../terminal/columns.ts';
import {
  type BadgeTone,
  columnsIn,
  type DocumentBlock,
  type DocumentCell,
  type DocumentColumn,
  type DocumentTable,
  type DocumentText,
  shownIn,
} from './blocks.ts';
import { isRight, isText, knownFacts, plainText, quantityText, sentenceOf } from './text.ts';

export interface MarkdownForm {
  /**
   * Maximum number of rows of a table, and of items of a list. Default: 60, because GitHub limits comments to 65,536 characters.
   */
  maxRows?: number;
}
/** Maximum number of characters of a text; texts may come from a run and be long. */
const maxText = 400;

const signs: Record<BadgeTone, string> = { good: '🟢', bad: '🔴', same: '⚪', doubt: '🟠', unknown: '🟡' };

const escaped = (text: string): string => escapeMarkdown(fit(text, maxText));

/**
 * Returns a document as Markdown for a comment on a pull request. The verdict is its heading, sections are folded, charts are
 * left out. Texts are escaped, and cut at 400 characters.
 */
export const markdownText = (blocks: readonly DocumentBlock[], { maxRows = 60 }: MarkdownForm = {}): string =>
  `${parts(blocks, maxRows).join('\n\n')}\n`;

function parts(blocks: readonly DocumentBlock[], maxRows: number): string[] {
  const isVerdict = ({ kind }: DocumentBlock) => kind === 'verdict';
  return shownIn('markdown', blocks)
    .sort((a, b) => Number(isVerdict(b)) - Number(isVerdict(a)))
    .flatMap((block) => blockParts(block, maxRows));
}

function blockParts(block: DocumentBlock, maxRows: number): string[] {
  switch (block.kind) {
    case 'paragraph':
      return [textOf(sentenceOf(block))];
    case 'list':
      return [
        ...(block.title === '' ? [] : [`${escaped(block.title)}:`]),
        ...listParts(block.items, maxRows),
      ];
    case 'table':
      return tableParts(block, maxRows);
    case 'facts':
      return listParts(
        knownFacts(block).map(([name, value]) => [`${name}: `, value].flat()),
        maxRows,
      );
    case 'command':
      return [escapeMarkdown(block.text)];
    case 'verdict': {
      const { by, text, notes = [], advice = [], next } = block;
      return [
        `### ${escaped(`${by}: ${text}`)}`,
        ...listParts([...notes, ...advice.map((one) => `Advice: ${one}`)], maxRows),
        ...(next === undefined ? [] : [escapeMarkdown(`Next: ${next}`)]),
      ];
    }
    case 'section':
      return foldedParts(block.title, block.body, maxRows);
    case 'folded':
      return foldedParts(block.summary, block.body, maxRows);
    default:
      return [];
  }
}

function foldedParts(summary: string, body: readonly DocumentBlock[], maxRows: number): string[] {
  const inner = parts(body, maxRows);
  return inner.length === 0
    ? []
    : [`<details><summary>${escaped(summary)}</summary>`, ...inner, '</details>'];
}

function listParts(items: readonly DocumentText[], maxRows: number): string[] {
  const more = items.length - maxRows;
  const shown = [...items.slice(0, maxRows).map(textOf), ...(more > 0 ? [`and ${more} more`] : [])];
  return shown.length === 0 ? [] : [shown.map((item) => `- ${item}`).join('\n')];
}

function tableParts(block: DocumentTable, maxRows: number): string[] {
  const { columns, rows } = columnsIn('markdown', block, true);
  const shown = rows.filter(({ isDetail }) => isDetail !== true);
  if (shown.length === 0) return [];
  const more = shown.length - maxRows;
  const lines = markdownTable(
    columns.map(({ head }) => escaped(head)),
    shown.slice(0, maxRows).map(({ cells }) => columns.map((column, at) => cellOf(cells[at] ?? '', column))),
    columns.map(isRight),
  );
  return [lines.join('\n'), ...(more > 0 ? [`and ${more} more rows`] : [])];
}

/**
 * Returns a Markdown table as lines without line ends.
 * @param heads texts of the head, already escaped
 * @param rows texts of the cells by row, already escaped
 * @param isRight true for each column that is aligned right; default: all are aligned left
 */
export function markdownTable(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  isRight: readonly boolean[] = [],
): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(heads),
    `|${heads.map((_, at) => (isRight[at] === true ? '---:|' : '---|')).join('')}`,
    ...rows.map(line),
  ];
}

function cellOf(cell: DocumentCell, column: DocumentColumn): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return escaped(quantityText(cell, column, 'markdown'));
  return isText(cell) ? textOf(cell) : '';
}

function textOf(text: DocumentText): string {
  if (typeof text === 'string') return escaped(text);
  if ('badge' in text) return `${signs[text.badge]} ${escaped(text.text)}`;
  if ('strong' in text) return `**${escaped(text.strong)}**`;
  if ('link' in text) return `[${escaped(text.text)}](${encodeURI(text.link)})`;
  return 'map' in text ? text.map(textOf).join('') : escaped(plainText(text));
}
