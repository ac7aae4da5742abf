// What a figure and a table of the set are, however they are printed.
import type { Row } from '../charts/index.ts';
import type { ChartSpec } from '../charts/spec.ts';
import type { Measure } from './pdf.ts';
import type { Columns } from './theme.ts';

interface Numbered {
  /** As in the thesis: "5.2". */
  number: string;
  title: string;
  /** Sentences: what is shown, n, interval, media, versions. */
  caption: string;
  /** One observation a row, with its unit. */
  rows: Row[];
}

export interface PaperFigure extends Numbered {
  kind: 'figure';
  spec(columns: Columns, measure: Measure): ChartSpec;
}

export interface PaperTable extends Numbered {
  kind: 'table';
  columns: { head: string; isNumber?: boolean }[];
  cells: string[][];
}

export type Paper = PaperFigure | PaperTable;

/** What cannot be made of these runs, and the command that measures it. */
export interface Missing {
  kind: 'missing';
  of: 'figure' | 'table';
  number: string;
  title: string;
  needs: string;
  run: string;
}

export const fileOf = ({ kind, number }: Pick<Paper, 'kind' | 'number'>): string =>
  `${kind === 'figure' ? 'fig' : 'tab'}-${number.replace('.', '-')}`;
