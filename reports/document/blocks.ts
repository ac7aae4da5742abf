// A document is the content of one part of a report as blocks: texts, tables, charts. Layout, escaping and units are added by the
// renderers for terminals, HTML pages and Markdown, which are in this folder.
import type { ChartFigure } from '../charts/index.ts';
import type { RowData } from '../html/markup.ts';
import type { XAxisFormat } from '../rows.ts';

export type DocumentForm = 'terminal' | 'page' | 'markdown';

/**
 * Meaning of a verdict: better, worse, unchanged, not confirmed, or no verdict. Terminals have a colour for it, Markdown a sign.
 */
export type BadgeTone = 'good' | 'bad' | 'same' | 'doubt' | 'unknown';

export type TextPart =
  | string
  | { strong: string }
  | { code: string }
  | { link: string; text: string }
  /**
   * A verdict, such as "slower", with its meaning (`badge`), for which table cells in terminals have a colour and Markdown has a
   * sign. Only HTML pages add the reason.
   */
  | { badge: BadgeTone; text: string; reason?: string | null }
  /** A word that is set apart, such as the medium; terminals write it in capitals. */
  | { label: string };

export type DocumentText = TextPart | readonly TextPart[];

/**
 * Content of a table cell. A number is in the quantity of its column; null (no value) is a dash in terminals and pages, and empty
 * in Markdown. `levels` are the heights of the bars of a small chart that only terminals draw.
 */
export type DocumentCell = DocumentText | number | null | { levels: readonly number[] };

/** A column of a table. `width`, `maxWidth` and `minWidth` are for terminals, in characters. */
export interface DocumentColumn {
  head: string;
  /**
   * Kind of the numbers in the column, which decides how they are written: times in ns, bandwidths in GB/s, shares from 0 to 1, or
   * values of an x axis.
   */
  quantity?: 'ns' | 'GB/s' | 'share' | XAxisFormat;
  /** Alignment of the cells. Default: right for columns with a quantity, else left. */
  align?: 'left' | 'right';
  /** True for a column of long texts, which pages may break into lines. */
  isLong?: boolean;
  /** True for the column with the verdict. Pages and Markdown show it first. */
  isVerdict?: boolean;
  /**
   * True for the column of x values. Rows with equal x follow one another, and pages show x only in the first. If the page's
   * filter hides that row, x is shown in the next visible row.
   */
  isX?: boolean;
  /**
   * Set for the column with the names of series. `above`: a terminal prints each name once as a line of its own, and its rows
   * below. `beside`: it does so only if the names are too wide for a column. An HTML page with only one name moves the name into
   * the caption, unless the table has a title.
   */
  names?: 'above' | 'beside';
  /** Terminals omit columns that do not fit: those with the highest number first, those without a number never. */
  priority?: number;
  /** Minimum width; heads and cells that are longer widen the column. Absent = no minimum. */
  width?: number;
  /** Maximum width; longer texts are cut. Absent = no maximum. */
  maxWidth?: number;
  /** Width in characters to which the column is narrowed before another column is omitted. */
  minWidth?: number;
  /** Output forms (terminal, HTML page, Markdown) that show the column; absent = all. */
  only?: readonly DocumentForm[];
}

export interface DocumentRow {
  /** Cells in the order of the table's columns. */
  cells: readonly DocumentCell[];
  /** True for a row about something wrong, such as a failed measurement; pages mark it. */
  isBad?: boolean;
  /** True for a row that is not worth a line: terminals print it only with --all, Markdown never, pages always. */
  isDetail?: boolean;
  /** Attributes by which the filter of a page shows or hides the row. */
  filter?: RowData;
}

export interface DocumentTable {
  kind: 'table';
  /** Name of the table, such as "Models.". Pages number tables that have a name. */
  title?: string;
  caption?: string;
  /** Line that an HTML page shows in place of a long table until the reader opens it. Absent: the page always shows the table. */
  summary?: string;
  /** True if narrow pages show the cells of a row below one another, because they are long texts. */
  isStacked?: boolean;
  columns: readonly DocumentColumn[];
  rows: readonly DocumentRow[];
  /**
   * Maximum number of rows that a terminal prints without --all; absent = all. `rowNoun`: noun for the omitted rows; default: row.
   * `rest`: text about where to find omitted rows and columns, such as ": see the report".
   */
  maxRows?: number;
  rowNoun?: string;
  /** Noun for columns that terminals omit because they do not fit. Default: omitted columns are not counted. */
  columnNoun?: string;
  rest?: string;
}

export type DocumentBlock =
  | DocumentTable
  /**
   * The result in one sentence (`text`). Terminals print it last; Markdown has it first, as a heading that begins with `by`, the
   * name of the program or suite. `isBad`: pages show the result as a warning. `notes`: remarks on the result, such as findings of
   * a suite, one text each. `advice`: sentences on what the user can do about the result.
   */
  | {
      kind: 'verdict';
      by: string;
      text: string;
      isBad?: boolean;
      notes?: readonly string[];
      /**
       * Maximum number of `notes` that a terminal prints without --all; absent = all. The line about the others ends with `rest`,
       * which says where they are, such as ": suite.json".
       */
      maxNotes?: number;
      rest?: string;
      advice?: readonly string[];
      /** Command line that the user may type next, shown below the verdict. */
      next?: string;
    }
  /**
   * A text. `isLine`: terminals cut it instead of breaking it into lines. `isSentence`: it has no full stop; pages and Markdown
   * begin it with a capital and end it with a full stop. `isBad`: pages mark it.
   */
  | { kind: 'paragraph'; text: DocumentText; isLine?: boolean; isSentence?: boolean; isBad?: boolean }
  /**
   * A list of texts below a title. `maxItems`: maximum number of items that a terminal prints without --all. The line about the
   * others ends with `rest`, which says where they are.
   */
  | { kind: 'list'; title: string; items: readonly DocumentText[]; maxItems?: number; rest?: string }
  /** Names with their values; names without a value are left out. */
  | { kind: 'facts'; facts: readonly (readonly [name: string, value: DocumentText])[] }
  /** A command line, which is never wrapped. */
  | { kind: 'command'; text: string }
  | { kind: 'chart'; figure: ChartFigure }
  /**
   * A section with a heading. In Markdown the section is folded below this heading, because comments on pull requests should be
   * short.
   */
  | { kind: 'section'; title: string; body: readonly DocumentBlock[] }
  /** Details that pages and Markdown fold below their summary. Terminals print the summary, or with --all the details. */
  | { kind: 'folded'; summary: string; body: readonly DocumentBlock[] }
  /** Blocks that only the output forms in `forms` (terminal, HTML page, Markdown) show. */
  | { kind: 'only'; forms: readonly DocumentForm[]; body: readonly DocumentBlock[] };

/** A paragraph that begins with the bold name of its subject. */
export const namedParagraph = (name: string, text: string): DocumentBlock => ({
  kind: 'paragraph',
  text: [{ strong: `${name}.` }, ` ${text}`],
});

/** A table column with the function that returns the content of its cell for one item of type `Row`. */
export type CellColumn<Row> = DocumentColumn & { cell(row: Row): DocumentCell };

/**
 * Builds a table: each column computes its cell from an item of `rows`.
 * @param others further properties of the table, such as its caption
 * @param mark returns further properties of an item's row, such as `isDetail`
 */
export const tableOf = <Row>(
  columns: readonly CellColumn<Row>[],
  rows: readonly Row[],
  others: Omit<DocumentTable, 'kind' | 'columns' | 'rows'> = {},
  mark: (row: Row) => Omit<DocumentRow, 'cells'> = () => ({}),
): DocumentTable => ({
  kind: 'table',
  ...others,
  columns,
  rows: rows.map((row) => ({ cells: columns.map(({ cell }) => cell(row)), ...mark(row) })),
});

/** Wraps parts of a document that only one output form (terminal, HTML page or Markdown) shows. */
export const onlyIn = (form: DocumentForm, ...body: readonly DocumentBlock[]): DocumentBlock => ({
  kind: 'only',
  forms: [form],
  body,
});

/**
 * Returns the parts of a document that an output form (terminal, HTML page or Markdown) shows, in their order. A block `only` is
 * replaced by its content, or left out if it is for other forms. Parts within sections and folded parts are not filtered.
 */
export const shownIn = (form: DocumentForm, blocks: readonly DocumentBlock[]): DocumentBlock[] =>
  blocks.flatMap((block) =>
    block.kind !== 'only' ? [block] : block.forms.includes(form) ? shownIn(form, block.body) : [],
  );

/**
 * Returns the table with only the columns that an output form (terminal, HTML page, Markdown) shows. Columns in which all cells are
 * '' or null are left out, except the column with the names of series.
 * @param isVerdictFirst true = the column with the verdict becomes the first one
 */
export function columnsIn(form: DocumentForm, table: DocumentTable, isVerdictFirst: boolean): DocumentTable {
  const { columns, rows } = table;
  const isLater = (at: number) => Number(isVerdictFirst && columns[at]?.isVerdict !== true);
  const isEmpty = (at: number) =>
    columns[at]?.names === undefined && rows.every(({ cells }) => cells[at] === '' || cells[at] === null);
  const places = columns
    .flatMap(({ only }, at) => ((only === undefined || only.includes(form)) && !isEmpty(at) ? [at] : []))
    .sort((a, b) => isLater(a) - isLater(b));
  return {
    ...table,
    columns: places.flatMap((at) => columns[at] ?? []),
    rows: rows.map((row) => ({ ...row, cells: places.map((at) => row.cells[at] ?? '') })),
  };
}
