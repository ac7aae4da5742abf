/** A column of a text table, left- or right-aligned. Widths are in characters; they are fixed before the first row is printed. */
export interface TextColumn {
  key: string;
  head: string;
  width: number;
  align: 'left' | 'right';
  /** Number of spaces between this column and the one before it. */
  gap: number;
}

/**
 * Columns of a run's table. Form `beside`: one line per x with all transports side by side, for which the columns `each` are
 * repeated. Form `stacked`: one line per x and transport. `lead` and `tail`: columns at the left and at the right of `each`, which
 * every line has once.
 */
export interface TableLayout {
  form: 'beside' | 'stacked';
  lead: TextColumn[];
  each: TextColumn[];
  tail: TextColumn[];
}

/** Columns of a run's table with measured times (such as latency) and values derived from them (such as bandwidth). */
export interface FigureColumns {
  /** The main measured time, such as latency. */
  mainTime: TextColumn;
  /** Half width of the 95 % interval of the main time, in percent of this time; both ends of a wide interval (columnSpread). */
  spread: TextColumn;
  /**
   * Times within an operation that all ranks record, such as the time until the first page of a KV cache has arrived. In plans with
   * late ranks (`--skew`) also the time of an operation since the first rank started it, and the measured time between the first
   * and the last start. Empty if there are none.
   */
  arrivals: TextColumn[];
  /** The workload's other measured times, such as the time per pipelined operation. */
  otherTimes: TextColumn[];
  derived: TextColumn[];
  /**
   * The column of `derived` with the main rate, such as bus bandwidth, which narrow tables keep as their only rate; empty if there
   * is none.
   */
  mainRate: TextColumn[];
}

export function column(
  key: string,
  head: string,
  width: number,
  align: 'left' | 'right' = 'right',
  gap = 2,
): TextColumn {
  return { key, head, width: Math.max(width, head.length), align, gap };
}

/**
 * Text of a table cell and a function that colours it. The text is coloured after padding, so that escape codes do not count
 * as width.
 */
export interface StyledText {
  text: string;
  paint?: (text: string) => string;
}

export function widthOf(columns: readonly TextColumn[]): number {
  return columns.reduce((sum, c, i) => sum + c.width + (i === 0 ? 0 : c.gap), 0);
}

/**
 * Returns the text if it has at most `width` characters; a longer text is cut and ends with an ellipsis, so that later columns
 * keep their position.
 */
export function fit(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}

/**
 * Returns the text if it has at most `width` characters. In a longer text an ellipsis replaces the middle, because names in a
 * table often differ at their ends.
 */
export function fitEnds(text: string, width: number): string {
  if (text.length <= width) return text;
  const end = Math.max(0, Math.ceil((width - 1) / 2));
  return `${text.slice(0, Math.max(0, width - 1 - end))}…${text.slice(text.length - end)}`;
}

export function line(
  columns: readonly TextColumn[],
  values: Readonly<Record<string, StyledText | string | undefined>>,
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

/** Returns the line with the heads of a text table's columns. */
export const headLine = (columns: readonly TextColumn[]): string =>
  line(columns, Object.fromEntries(columns.map(({ key, head }) => [key, head])));

/**
 * Returns a line above the column heads of a table in which each text is centred over neighbouring columns.
 * @param groups the texts, each with the keys of the first and the last column below it
 */
export function overLine(
  columns: readonly TextColumn[],
  groups: readonly (readonly [text: string, from: string, to: string])[],
): string {
  const place = (key: string) => columns.findIndex((one) => one.key === key);
  const full = (some: readonly TextColumn[]) => some.reduce((sum, { width, gap }) => sum + width + gap, 0);
  let text = '';
  for (const [words, from, to] of groups) {
    const start = full(columns.slice(0, place(from))) - (columns[0]?.gap ?? 0);
    const span = full(columns.slice(place(from), place(to) + 1));
    text = text.padEnd(start + Math.max(1, Math.floor((span - words.length + 1) / 2))) + words;
  }
  return text;
}
