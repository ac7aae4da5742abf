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
import { isText, plainText, quantityText, sentenceOf } from './text.ts';

/** Maximum number of rows or items: GitHub accepts comments of 65,536 characters. */
const maxRows = 60;
/** Maximum length of a text that comes from a run. */
const maxText = 400;

const signs: Record<BadgeTone, string> = { good: '🟢', bad: '🔴', same: '⚪', doubt: '🟠', unknown: '🟡' };

const escaped = (text: string): string => escapeMarkdown(fit(text, maxText));

/** Returns a document as Markdown for a comment on a pull request. The verdict is its heading. */
export const markdownText = (blocks: readonly DocumentBlock[]): string => `${parts(blocks).join('\n\n')}\n`;

function parts(blocks: readonly DocumentBlock[]): string[] {
  const isVerdict = ({ kind }: DocumentBlock) => kind === 'verdict';
  return shownIn('markdown', blocks)
    .sort((a, b) => Number(isVerdict(b)) - Number(isVerdict(a)))
    .flatMap(blockParts);
}

function blockParts(block: DocumentBlock): string[] {
  switch (block.kind) {
    case 'paragraph':
      return [textOf(sentenceOf(block))];
    case 'list':
      return [...(block.title === '' ? [] : [`${escaped(block.title)}:`]), ...listParts(block.items)];
    case 'table':
      return tableParts(block);
    case 'verdict': {
      const { by, text, notes = [], advice = [] } = block;
      return [
        `### ${escaped(`${by}: ${text}`)}`,
        ...listParts([...notes, ...advice.map((one) => `Advice: ${one}`)]),
      ];
    }
    case 'section':
      return foldedParts(block.title, block.body);
    case 'folded':
      return foldedParts(block.summary, block.body);
    default:
      return [];
  }
}

function foldedParts(summary: string, body: readonly DocumentBlock[]): string[] {
  const inner = parts(body);
  return inner.length === 0
    ? []
    : [`<details><summary>${escaped(summary)}</summary>`, ...inner, '</details>'];
}

function listParts(items: readonly DocumentText[]): string[] {
  const more = items.length - maxRows;
  const shown = [...items.slice(0, maxRows).map(textOf), ...(more > 0 ? [`and ${more} more`] : [])];
  return shown.length === 0 ? [] : [shown.map((item) => `- ${item}`).join('\n')];
}

function tableParts(block: DocumentTable): string[] {
  const { columns, rows } = columnsIn('markdown', block, true);
  const shown = rows.filter(({ isDetail }) => isDetail !== true);
  if (shown.length === 0) return [];
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const more = shown.length - maxRows;
  return [
    [
      line(columns.map(({ head }) => escaped(head))),
      `|${columns.map(() => '---').join('|')}|`,
      ...shown
        .slice(0, maxRows)
        .map(({ cells }) => line(columns.map((column, at) => cellOf(cells[at] ?? '', column)))),
    ].join('\n'),
    ...(more > 0 ? [`and ${more} more rows`] : []),
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
