// Types of figures and tables, independent of the file format.
import type { ChartRow } from '../charts/index.ts';
import type { ChartSpec } from '../charts/spec.ts';
import type { TextMeasure } from './pdf.ts';
import type { PaperColumns } from './theme.ts';

interface PaperHead {
  /** Name of the content and of the files: "busbw-allreduce". */
  name: string;
  title: string;
  /** Caption in full sentences: content, what is left out, n, interval, media, versions. */
  caption: string;
  /** One observation per row, with its unit. */
  rows: ChartRow[];
}

/** Drawings of one figure. */
export interface FigurePanels {
  /** Legend above the panels, over the whole width; null if the panel has its own legend. */
  legend: ChartSpec | null;
  specs: ChartSpec[];
  /** Number of panels in a row. */
  across: number;
}

export interface PaperFigure extends PaperHead {
  kind: 'figure';
  panels(columns: PaperColumns, measure: TextMeasure): FigurePanels;
}

export interface PaperTable extends PaperHead {
  kind: 'table';
  columns: { head: string; isNumber?: boolean }[];
  cells: string[][];
}

export type PaperItem = PaperFigure | PaperTable;

/** A figure or table that these runs cannot give, with the command that measures it. */
export interface MissingFigure {
  kind: 'missing';
  of: 'figures' | 'figure' | 'table';
  title: string;
  needs: string;
  run: string;
}

/** Maximum number of table rows on a printed page. */
const maxTableRows = 40;

/** Returns the file names of an item without extension. A table longer than a page has several files. */
export const filesOf = (paper: PaperItem): string[] => {
  const parts = paper.kind === 'table' ? Math.ceil(paper.cells.length / maxTableRows) : 1;
  return [paper.name, ...Array.from({ length: parts - 1 }, (_, i) => `${paper.name}-${i + 2}`)];
};

/** Splits a table into one part per file. */
export const tableParts = ({ cells, ...table }: PaperTable): PaperTable[] => {
  const parts = Math.max(1, Math.ceil(cells.length / maxTableRows));
  const each = Math.ceil(cells.length / parts);
  return Array.from({ length: parts }, (_, i) => ({
    ...table,
    cells: cells.slice(i * each, (i + 1) * each),
  }));
};

/** Returns the title and the rest of the caption. A caption that begins with the title does not repeat it. */
export const splitCaption = ({ title, caption }: PaperItem): { title: string; rest: string } => ({
  title,
  rest: caption.startsWith(title) ? caption.slice(title.length) : `. ${caption}`,
});

/** Returns "No table 'System usage': it needs samples of system load." */
export const missingText = ({ of, title, needs }: MissingFigure): string =>
  `No ${of} '${title}': it needs ${needs}.`;
