/** Right- or left-aligned text columns of a table whose widths are known before the first row. */
export interface Column {
  key: string;
  head: string;
  width: number;
  align: 'left' | 'right';
  /** Spaces before the column. */
  gap: number;
}

/**
 * How the rows of a run are laid out.
 * `beside`: one line per x, the transports side by side (`columns` of one transport repeat under its name).
 * `stacked`: one line per x and transport.
 */
export interface Layout {
  form: 'beside' | 'stacked';
  lead: Column[];
  each: Column[];
  tail: Column[];
}

/** Columns of figures, from the workload's row. */
export interface FigureColumns {
  first: Column;
  /** Of the first: its interval. */
  spread: Column;
  /** Measured beside the first. */
  others: Column[];
  derived: Column[];
  /** Those of `derived` that narrow tables keep. */
  charted: Column[];
}

export function column(
  key: string,
  head: string,
  width: number,
  align: 'left' | 'right' = 'right',
  gap = 2,
): Column {
  return { key, head, width: Math.max(width, head.length), align, gap };
}

/** A cell's text and its colouring, which is applied after padding so that it never counts as width. */
export interface Text {
  text: string;
  paint?: (text: string) => string;
}

export function widthOf(columns: readonly Column[]): number {
  return columns.reduce((sum, c, i) => sum + c.width + (i === 0 ? 0 : c.gap), 0);
}

/** Longer text is cut with an ellipsis rather than pushing the columns after it. */
export function fit(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}

export function line(
  columns: readonly Column[],
  values: Readonly<Record<string, Text | string | undefined>>,
): string {
  const parts = columns.map((c, i) => {
    const value = values[c.key] ?? '';
    const { text, paint } = typeof value === 'string' ? { text: value, paint: undefined } : value;
    const cut = fit(text, c.width);
    const pad = ' '.repeat(c.width - cut.length);
    const shown = paint === undefined || cut === '' ? cut : paint(cut);
    return (i === 0 ? '' : ' '.repeat(c.gap)) + (c.align === 'right' ? pad + shown : shown + pad);
  });
  return parts.join('').trimEnd();
}
