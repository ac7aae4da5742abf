import pc from 'picocolors';
import { addTo } from '../../results/collections.ts';
import { sanitiseLine, wrapBeside } from '../../results/text.ts';
import { fit, line, type StyledText, type TextColumn, widthOf } from '../terminal/columns.ts';
import { plural, wrap } from '../wording.ts';
import {
  columnsIn,
  type DocumentBlock,
  type DocumentCell,
  type DocumentColumn,
  type DocumentRow,
  type DocumentTable,
  shownIn,
} from './blocks.ts';
import { isRight, isText, knownFacts, plainText, quantityText, sparkline } from './text.ts';

export interface TerminalForm {
  /** Width of the terminal in characters; values below 40 count as 40. */
  columns: number;
  color: boolean;
  /** True to print all rows of tables, all items and notes, and the details that pages and Markdown fold. */
  all?: boolean;
}

/** Returns a document as text for a terminal, which ends with a line feed. Texts are wrapped and tables are fitted to the width. */
export const terminalText = (blocks: readonly DocumentBlock[], form: TerminalForm): string =>
  `${terminalLines(blocks, { ...form, columns: Math.max(40, form.columns) }).join('\n')}\n`;

/** Kinds of document blocks that terminals print with an empty line before and after. */
const apart: ReadonlySet<DocumentBlock['kind']> = new Set(['table', 'section']);

/**
 * Returns a document as lines of text for a terminal. The verdict comes last, because the last lines remain visible. Charts are
 * left out; of folded details only the summary is printed, unless `form.all` is true. Control characters in texts are replaced.
 */
export function terminalLines(blocks: readonly DocumentBlock[], form: TerminalForm): string[] {
  const isVerdict = ({ kind }: DocumentBlock) => kind === 'verdict';
  const unfolded = shownIn('terminal', blocks).flatMap((block) =>
    block.kind === 'folded' && form.all === true ? shownIn('terminal', block.body) : [block],
  );
  const shown = unfolded.toSorted((a, b) => Number(isVerdict(a)) - Number(isVerdict(b)));
  const lines: string[] = [];
  let last: DocumentBlock['kind'] | null = null;
  for (const block of shown) {
    const own = blockLines(block, form);
    if (own.length === 0) continue;
    if (last !== null && (apart.has(last) || apart.has(block.kind))) lines.push('');
    lines.push(...own);
    last = block.kind;
  }
  return lines;
}

function blockLines(block: DocumentBlock, form: TerminalForm): string[] {
  const { columns: width, color, all = false } = form;
  const { bold } = pc.createColors(color);
  const say = (text: string, hanging = '  ') => wrap(sanitiseLine(text), width, hanging);
  switch (block.kind) {
    case 'paragraph': {
      const text = plainText(block.text);
      return block.isLine === true ? [fit(sanitiseLine(text), width)] : say(text);
    }
    case 'list': {
      const texts = bounded(block.items.map(plainText), all ? undefined : block.maxItems, block.rest);
      return [...say(block.title), ...texts.flatMap((text) => say(text))];
    }
    case 'table':
      return tableLines(block, form);
    case 'facts': {
      const facts = knownFacts(block);
      const widest = Math.max(0, ...facts.map(([name]) => name.length));
      return facts.flatMap(([name, value]) =>
        wrapBeside(`${name.padEnd(widest)}  `, sanitiseLine(plainText(value)), width),
      );
    }
    case 'command':
      return [sanitiseLine(block.text)];
    case 'verdict': {
      const { notes = [], maxNotes, rest, advice = [], next, text } = block;
      return [
        ...bounded(notes, all ? undefined : maxNotes, rest).flatMap((note) => say(note)),
        ...say(text, '').map(bold),
        ...advice.flatMap((one) => say(`Advice: ${one}`)),
        // A command is printed on one line, so that users can copy it.
        ...(next === undefined ? [] : [sanitiseLine(`Next: ${next}`)]),
      ];
    }
    case 'section': {
      const body = terminalLines(block.body, { ...form, columns: width - 2 });
      return body.length === 0 ? [] : [...say(block.title, '').map(bold), ...indented(body)];
    }
    case 'folded':
      return say(`${block.summary} (--all lists them)`);
    default:
      return [];
  }
}

function bounded(texts: readonly string[], max?: number, rest = ''): string[] {
  const more = texts.length - (max ?? texts.length);
  return more > 0 ? [...texts.slice(0, max), `and ${more} more${rest}`] : [...texts];
}

const indented = (lines: readonly string[]) => lines.map((text) => (text === '' ? '' : `  ${text}`));

function tableLines(block: DocumentTable, form: TerminalForm): string[] {
  const { columns: width, color, all = false } = form;
  const { dim } = pc.createColors(color);
  const wanted = all ? block.rows : block.rows.filter(({ isDetail }) => isDetail !== true);
  if (wanted.length === 0) return [];
  const rows = all ? wanted : wanted.slice(0, block.maxRows);
  const more = wanted.length - rows.length;
  const table = columnsIn('terminal', { ...block, rows }, false);
  const { shown, name, indent } = fittedColumns(table, width);
  const beside = firstLine(shown, width - indent);
  const lead = ' '.repeat(indent);
  const head = headLines(beside).map((text) => dim(lead + text));
  const rowLines = ({ cells }: DocumentRow): string[] => {
    const values = beside.map(
      ({ key, column, width: room }) =>
        [key, styledCell(cells[Number(key)] ?? '', column, room, color)] as const,
    );
    const others = shown.slice(beside.length).flatMap(({ key, column, width: room }) => {
      const text = cellText(cells[Number(key)] ?? '', column, room);
      return text === '' ? [] : [column.head === '' ? text : `${column.head}: ${text}`];
    });
    const below = wrap(others.join('; '), width - indent - 2, '  ').map((text) => `${lead}  ${text}`);
    return [lead + line(beside, Object.fromEntries(values)), ...below];
  };
  const groups = new Map<string, DocumentRow[]>();
  for (const row of table.rows)
    addTo(groups, name === null ? '' : cellText(row.cells[name] ?? '', {}, width), row);
  const isAbove = name !== null && table.columns[name]?.names === 'above';
  return [
    ...(isAbove ? [] : head),
    ...[...groups].flatMap(([text, own], i) => [
      ...(isAbove && i > 0 ? [''] : []),
      ...wrap(text, width),
      ...(isAbove ? head : []),
      ...own.flatMap(rowLines),
    ]),
    ...restLine(more, block.rowNoun ?? 'row', block.rest),
    ...(block.columnNoun === undefined
      ? []
      : restLine(table.columns.length - shown.length - Number(name !== null), block.columnNoun, block.rest)),
  ];
}

const restLine = (omitted: number, noun: string, rest = ''): string[] =>
  omitted > 0 ? [`and ${plural(omitted, `more ${noun}`)}${rest}`] : [];

/**
 * Returns the lines with the heads of the columns. A head with fewer lines than the others is aligned with the last line of the
 * highest one.
 */
function headLines(columns: readonly FittedColumn[]): string[] {
  const deepest = Math.max(...columns.map(({ heads }) => heads.length));
  return Array.from({ length: deepest }, (_, at) =>
    line(columns, Object.fromEntries(columns.map(({ key, heads }) => [key, heads.at(at - deepest) ?? '']))),
  );
}

function cellText(cell: DocumentCell, column: Partial<DocumentColumn>, width: number): string {
  if (cell === null) return '-';
  if (typeof cell === 'number') return quantityText(cell, column, 'terminal');
  return isText(cell) ? sanitiseLine(plainText(cell)) : sparkline(cell.levels.slice(-width));
}

function styledCell(cell: DocumentCell, column: DocumentColumn, width: number, color: boolean): StyledText {
  const { red, green, yellow } = pc.createColors(color);
  const text = cellText(cell, column, width);
  if (cell === null || typeof cell !== 'object' || !('badge' in cell)) return { text };
  return { text, paint: { bad: red, good: green, same: String, doubt: yellow, unknown: yellow }[cell.badge] };
}

/** Minimum width in characters to which column heads are wrapped; a column with wider cells has wider heads. */
const brokenHeadWidth = 10;

interface FittedColumn extends TextColumn {
  column: DocumentColumn;
  /** Lines into which the column's head is wrapped. */
  heads: string[];
  minWidth: number;
}

/**
 * Chooses the columns that fit the width. First long heads are wrapped, then columns are omitted, those with the highest priority
 * number first. If that is not enough, the names of series become lines of their own above their rows, which are then indented.
 * Names with `above` are always such lines, and their rows are not indented.
 * @returns `shown`: columns, which may still be too wide. `name`: index, among all columns, of the names above their rows; null =
 * none. `indent`: in characters
 */
function fittedColumns(
  { columns, rows }: DocumentTable,
  width: number,
): { shown: FittedColumn[]; name: number | null; indent: number } {
  const name = columns.findIndex(({ names }) => names !== undefined);
  const isAbove = columns[name]?.names === 'above';
  const fitted = (breaksHeads: boolean) =>
    columns.map((column, at): FittedColumn => {
      const { head, width: min = 0, maxWidth = Number.POSITIVE_INFINITY, minWidth } = column;
      const widths = rows.map(({ cells }) => cellText(cells[at] ?? '', column, maxWidth).length);
      const heads = breaksHeads ? wrap(head, Math.max(brokenHeadWidth, min, ...widths)) : [head];
      const own = Math.min(Math.max(min, ...heads.map(({ length }) => length), ...widths), maxWidth);
      const align = isRight(column) ? 'right' : 'left';
      return {
        ...{ key: String(at), head, heads, width: own, align, gap: 2, column },
        minWidth: Math.min(own, minWidth ?? own),
      };
    });
  const fits = (some: readonly FittedColumn[], room: number) =>
    widthOf(some.map((one) => ({ ...one, width: one.minWidth }))) <= room;
  const whole = fitted(false);
  const all = fits(isAbove ? whole.filter((_, at) => at !== name) : whole, width) ? whole : fitted(true);
  const priorities = all.flatMap(({ column: { priority } }) => priority ?? []).sort((a, b) => b - a);
  const candidates = (some: readonly FittedColumn[]) =>
    [Number.POSITIVE_INFINITY, ...priorities].map((limit) =>
      some.filter(({ column: { priority = -1 } }) => priority < limit),
    );
  const beside = isAbove || name < 0 ? undefined : candidates(all).find((some) => fits(some, width));
  if (beside !== undefined) return { shown: shrunk(beside, width), name: null, indent: 0 };
  const room = width - (isAbove || name < 0 ? 0 : 2);
  const below = candidates(all.filter((_, at) => at !== name));
  const chosen = below.find((some) => fits(some, room)) ?? below.at(-1) ?? [];
  return { shown: shrunk(chosen, room), name: name < 0 ? null : name, indent: width - room };
}

/**
 * Narrows columns, none below its minimum width, until all fit the width. If even the minimum widths are too much, no column is
 * narrowed, and the last ones are written below the row.
 */
function shrunk(columns: readonly FittedColumn[], width: number): FittedColumn[] {
  let excess = widthOf(columns) - width;
  if (excess > columns.reduce((sum, one) => sum + one.width - one.minWidth, 0)) return [...columns];
  return columns.map((one) => {
    const cut = Math.max(0, Math.min(excess, one.width - one.minWidth));
    excess -= cut;
    return { ...one, width: one.width - cut };
  });
}

/**
 * Returns the first columns, as many as fit on one line of `width` characters, but at least one; none is wider than the line. The
 * other columns are written below the row as text.
 */
function firstLine(columns: readonly FittedColumn[], width: number): FittedColumn[] {
  const count = columns.findIndex((_, at) => at > 0 && widthOf(columns.slice(0, at + 1)) > width);
  return columns
    .slice(0, count < 0 ? columns.length : count)
    .map((one) => ({ ...one, width: Math.min(one.width, width) }));
}
