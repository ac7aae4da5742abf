import { type LiveTableOptions, wholeRows } from '../../reports/terminal/index.ts';
import type { CellRecord } from '../../results/schema/index.ts';

const linesOf = (text: string): number => text.split('\n').length - 1;

/** The rows so far of a run with several series, in the order of the plan, with headings. */
export class ProvisionalRows {
  private readonly options: LiveTableOptions;
  /** Cells by point; the point that changed last is at the end. */
  private readonly points = new Map<number, readonly CellRecord[]>();

  constructor(options: LiveTableOptions) {
    this.options = options;
  }

  /**
   * Text of all rows after a new or changed row. If they exceed the height, only the rows that changed last.
   * @param height maximum number of lines of the text
   */
  with(point: number, row: readonly CellRecord[], height: number): string {
    this.points.delete(point);
    this.points.set(point, row);
    const all = [...this.points.values()];
    for (let count = Math.min(all.length, height); count > 0; count = Math.floor(count * 0.8)) {
      const text = wholeRows(this.options, all.slice(-count).flat());
      if (linesOf(text) <= height) return text;
    }
    return '';
  }
}
