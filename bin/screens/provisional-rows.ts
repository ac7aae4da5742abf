import { type LiveTableOptions, wholeRows } from '../../reports/terminal/index.ts';
import type { CellRecord } from '../../results/schema/index.ts';

const linesOf = (text: string): number => text.split('\n').length - 1;

/** The rows of a run with several series so far, in the order of the plan under their headings. */
export class ProvisionalRows {
  private readonly options: LiveTableOptions;
  /** Cells by point, the last one that changed at the end. */
  private readonly points = new Map<number, readonly CellRecord[]>();

  constructor(options: LiveTableOptions) {
    this.options = options;
  }

  /**
   * The rows with one that is new or has changed. Where they are more than fit, the ones that changed last.
   * @param height lines that there is room for; the text never has more
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
