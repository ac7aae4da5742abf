// What a figure and a table of the set are, however they are printed.
import type { ChartRow } from '../charts/index.ts';
import type { ChartSpec } from '../charts/spec.ts';
import type { TextMeasure } from './pdf.ts';
import type { PaperColumns } from './theme.ts';

interface PaperHead {
  /** By content; also the name of its files: "busbw-allreduce". */
  name: string;
  title: string;
  /** Sentences: what is shown, what is left out, n, interval, media, versions. */
  caption: string;
  /** One observation a row, with its unit. */
  rows: ChartRow[];
}

/** Drawings that make up a figure. */
export interface FigurePanels {
  /** Above the panels, over the whole width; null where the panel has its own legend. */
  legend: ChartSpec | null;
  specs: ChartSpec[];
  /** Panels side by side. */
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

/** What cannot be made of these runs, and the command that measures it. */
export interface MissingFigure {
  kind: 'missing';
  of: 'figures' | 'figure' | 'table';
  title: string;
  needs: string;
  run: string;
}

/** Rows of a table that fit on one page of print. */
const maxTableRows = 40;

/** The files of a paper, without ending. A table longer than a page has several. */
export const filesOf = (paper: PaperItem): string[] => {
  const parts = paper.kind === 'table' ? Math.ceil(paper.cells.length / maxTableRows) : 1;
  return [paper.name, ...Array.from({ length: parts - 1 }, (_, i) => `${paper.name}-${i + 2}`)];
};

/** Rows of the table in each of its files. */
export const tableParts = ({ cells, ...table }: PaperTable): PaperTable[] => {
  const parts = Math.max(1, Math.ceil(cells.length / maxTableRows));
  const each = Math.ceil(cells.length / parts);
  return Array.from({ length: parts }, (_, i) => ({
    ...table,
    cells: cells.slice(i * each, (i + 1) * each),
  }));
};

/** Title of a paper and the rest of its caption: a caption that begins with the title does not repeat it. */
export const splitCaption = ({ title, caption }: PaperItem): { title: string; rest: string } => ({
  title,
  rest: caption.startsWith(title) ? caption.slice(title.length) : `. ${caption}`,
});

/** "No table 'System usage': it needs samples of system load." */
export const missingText = ({ of, title, needs }: MissingFigure): string =>
  `No ${of} '${title}': it needs ${needs}.`;
