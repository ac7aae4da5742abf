import { html, type SafeHtml, table as tableMarkup, trustHtml } from '../html/markup.ts';
import type { FigureRenderer, NextTable } from '../html/sections.ts';
import { keepUnits } from '../wording.ts';
import {
  columnsIn,
  type DocumentBlock,
  type DocumentCell,
  type DocumentColumn,
  type DocumentRow,
  type DocumentTable,
  type DocumentText,
  shownIn,
} from './blocks.ts';
import { isRight, isText, knownFacts, plainText, quantityText, sentenceOf } from './text.ts';

export interface PageForm {
  draw?: FigureRenderer['draw'];
  /** Returns the page's next table number. Without this function tables have no numbers. */
  next?: NextTable;
  /** Heading level of the document's sections. Default: h2. */
  heading?: 'h2' | 'h3';
}

/** Maximum number of rows of a table with a `summary` that pages always show; a longer one is folded below its summary. */
const maxOpenRows = 24;

/**
 * Returns a document (paragraphs, tables, charts) as HTML for a report page; texts are escaped. Without `form.draw` charts are
 * left out.
 */
export const pageMarkup = (blocks: readonly DocumentBlock[], form: PageForm = {}): SafeHtml =>
  html`${shownIn('page', blocks).map((block) => blockMarkup(block, form))}`;

function blockMarkup(block: DocumentBlock, form: PageForm): SafeHtml {
  switch (block.kind) {
    case 'paragraph':
      return html`<p${block.isBad === true ? trustHtml(' class="warn"') : ''}>${textMarkup(sentenceOf(block))}</p>\n`;
    case 'list':
      return html`${block.title === '' ? '' : html`<p>${block.title}:</p>`}${listMarkup(block.items)}`;
    case 'table':
      return tableBlock(block, form);
    case 'verdict': {
      const { text, isBad, notes = [], advice = [], next } = block;
      return html`<div class="${isBad === true ? 'warn' : 'lead'}"><p><b>${text}</b></p>
${listMarkup(notes)}${advice.map((one) => html`<p>Advice: ${one}</p>\n`)}${next === undefined ? '' : html`<p>Next: <code>${next}</code></p>\n`}</div>\n`;
    }
    case 'facts':
      return html`<dl class="facts">${knownFacts(block).map(([name, value]) => html`<dt>${name}</dt><dd>${textMarkup(value)}</dd>`)}</dl>`;
    case 'command':
      return html`<pre>${block.text}</pre>\n`;
    case 'chart':
      return form.draw?.(block.figure) ?? html``;
    case 'section':
      return html`<section>${headingMarkup(block.title, form)}\n${pageMarkup(block.body, form)}</section>\n`;
    case 'folded':
      return foldedMarkup(block.summary, pageMarkup(block.body, form));
    default:
      return html``;
  }
}

const headingMarkup = (title: string, { heading = 'h2' }: PageForm): SafeHtml =>
  heading === 'h2' ? html`<h2>${title}</h2>` : html`<h3>${title}</h3>`;

const foldedMarkup = (summary: string, body: SafeHtml): SafeHtml =>
  html`<details><summary>${summary}</summary>${body}</details>\n`;

const listMarkup = (items: readonly DocumentText[]): SafeHtml =>
  items.length === 0 ? html`` : html`<ul>${items.map((item) => html`<li>${textMarkup(item)}</li>`)}</ul>\n`;

function textMarkup(text: DocumentText): SafeHtml {
  if (typeof text === 'string') return html`${text}`;
  if ('strong' in text) return html`<b>${text.strong}</b>`;
  if ('code' in text) return html`<code>${text.code}</code>`;
  if ('label' in text) return html`<span class="emu">${text.label}</span>`;
  if ('link' in text) return html`<a href="${text.link}">${text.text}</a>`;
  if ('badge' in text) return html`${text.text}${text.reason == null ? '' : `: ${text.reason}`}`;
  return html`${text.map(textMarkup)}`;
}

function tableBlock(block: DocumentTable, { next }: PageForm): SafeHtml {
  const { columns, rows, caption = '', title, summary } = columnsIn('page', block, true);
  if (rows.length === 0) return html``;
  const named = columns.findIndex(({ names }) => names !== undefined);
  const [name, ...others] = new Set(rows.map(({ cells }) => nameOf(cells[named] ?? '')));
  // If all rows have the same name, the caption has it instead of a column, which would make narrow screens scroll. A caption with
  // a title has no room for the name.
  const common = named >= 0 && others.length === 0 && title === undefined ? name : undefined;
  const x = columns.findIndex(({ isX }) => isX);
  const repeatsX = new Set(rows.filter(({ cells }, i) => x >= 0 && cells[x] === rows[i - 1]?.cells[x]));
  const number = title === undefined || next === undefined ? '' : `Table ${next()}. `;
  const bold = title ?? (common === undefined ? '' : `${common}.`);
  const table = tableMarkup(
    bold === '' ? caption : html`<b>${number}${bold}</b> ${caption}`,
    columns
      .map((column, at) => ({
        head: column.head,
        number: isRight(column),
        isLong: column.isLong === true,
        isX: column.isX === true,
        cell: (row: DocumentRow) =>
          at === x && repeatsX.has(row) ? '' : cellMarkup(row.cells[at] ?? '', column),
      }))
      .filter((_, at) => common === undefined || at !== named),
    rows,
    (row) =>
      [...(x < 0 || repeatsX.has(row) ? [] : ['first']), ...(row.isBad === true ? ['bad'] : [])].join(' '),
    ({ filter = {} }) => filter,
    block.isStacked === true,
  );
  return summary === undefined || rows.length <= maxOpenRows ? table : foldedMarkup(summary, table);
}

const nameOf = (cell: DocumentCell): string => (isText(cell) ? plainText(cell) : '');

function cellMarkup(cell: DocumentCell, column: DocumentColumn): SafeHtml {
  if (cell === null) return html`–`;
  if (typeof cell === 'number') return html`${quantityText(cell, column, 'page')}`;
  // Results in a column of long texts may be wrapped between value, interval and size, but not before a unit.
  if (typeof cell === 'string' && column.isLong === true && isRight(column)) return html`${keepUnits(cell)}`;
  return isText(cell) ? textMarkup(cell) : html``;
}
