import type { LiveTableOptions } from '../../reports/terminal/live.ts';
import { tableOfRun } from '../../reports/terminal/run-table.ts';
import type { CellRecord } from '../../results/schema/index.ts';

export const linesOf = (text: string): number => text.split('\n').length - 1;

/**
 * Table rows of a run that is still being measured, for tables whose rows must be printed together. The rows stay on the terminal
 * until the final table replaces them.
 */
export class ProvisionalRows {
  private readonly options: LiveTableOptions;
  /** Results in each table row, by index of its point (message size) in plan.points. The row that changed last comes last. */
  private readonly points = new Map<number, readonly CellRecord[]>();

  constructor(options: LiveTableOptions) {
    this.options = options;
  }

  /**
   * Text of all rows after one row was added or changed. If all rows need more than `height` lines, the text has only the rows that
   * changed last; "" if not even one row fits.
   * @param point index in plan.points of the point (message size) whose row changed
   * @param row results of the row, one per column
   * @param height maximum number of lines of the text
   */
  with(point: number, row: readonly CellRecord[], height: number): string {
    this.points.delete(point);
    this.points.set(point, row);
    const all = [...this.points.values()];
    for (let count = Math.min(all.length, height); count > 0; count = Math.floor(count * 0.8)) {
      const text = tableOfRun(this.options, all.slice(-count).flat());
      if (linesOf(text) <= height) return text;
    }
    return '';
  }
}
