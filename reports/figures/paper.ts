// Types for figures and tables of papers, independent of the file format in which they are written.
import type { ChartRow } from '../charts/index.ts';
import type { ChartSpec } from '../charts/spec.ts';
import type { PrintStyle } from './print-form.ts';

interface PaperHead {
  /** Name of the figure or table, and of its files without extension: "busbw-allreduce". */
  name: string;
  title: string;
  /** Caption in full sentences: content, what is left out, numbers of launches and samples, intervals, media, versions. */
  caption: string;
  /**
   * Data of the figure, one row per drawn value; field names or a field `unit` say the unit. The CSV file of the figure has the
   * same rows.
   */
  rows: ChartRow[];
}

/** Vega-Lite specifications of one figure, which may consist of several panels. */
export interface FigurePanels {
  /** Legend above the panels, over the whole width; null if the figure has one panel, which contains the legend. */
  legend: ChartSpec | null;
  specs: ChartSpec[];
  /** Number of panels side by side; further panels follow in the next row. */
  across: number;
}

export interface PaperFigure extends PaperHead {
  kind: 'figure';
  panels(style: PrintStyle): FigurePanels;
}

export interface PaperTable extends PaperHead {
  kind: 'table';
  columns: { head: string; isNumber?: boolean }[];
  cells: string[][];
}

export type PaperItem = PaperFigure | PaperTable;

/**
 * A figure or table that cannot be made from the given runs. `of` is the noun for it in messages. `needs` names the missing data,
 * `run` is the command line that measures them.
 */
export interface MissingFigure {
  of: 'figures' | 'figure' | 'table';
  title: string;
  needs: string;
  run: string;
}

/** Maximum number of table rows on a printed page. */
const maxTableRows = 40;

/**
 * Returns the file names of a figure or table, without extension. A table longer than a page has one file per page: NAME, NAME-2,
 * NAME-3.
 */
export const filesOf = (paper: PaperItem): string[] => {
  const parts = paper.kind === 'table' ? Math.ceil(paper.cells.length / maxTableRows) : 1;
  return [paper.name, ...Array.from({ length: parts - 1 }, (_, i) => `${paper.name}-${i + 2}`)];
};

/** Splits a table into parts of about equal length with at most 40 rows, which each fit on a page, one per file. */
export const tableParts = ({ cells, ...table }: PaperTable): PaperTable[] => {
  const parts = Math.max(1, Math.ceil(cells.length / maxTableRows));
  const each = Math.ceil(cells.length / parts);
  return Array.from({ length: parts }, (_, i) => ({
    ...table,
    cells: cells.slice(i * each, (i + 1) * each),
  }));
};

/**
 * Splits a caption into the title and the text that follows the title (`rest`). `rest` begins with the punctuation that separates
 * it from the title. If the caption begins with the title, `rest` does not repeat it.
 */
export const splitCaption = ({ title, caption }: PaperItem): { title: string; rest: string } => ({
  title,
  rest: caption.startsWith(title) ? caption.slice(title.length) : `. ${caption}`,
});

/**
 * Returns the sentence about a figure or table that cannot be made: "No table 'System usage': it needs samples of system
 * load."
 */
export const missingText = ({ of, title, needs }: MissingFigure): string =>
  `No ${of} '${title}': it needs ${needs}.`;
