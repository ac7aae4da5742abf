import type { CellRecord } from '../../results/schema/index.ts';
import type { FootInput } from './foot.ts';
import type { HeadOptions } from './head.ts';

export interface LiveTableOptions extends HeadOptions {
  /** Maximum number of characters per line of the table; values below 40 count as 40. */
  columns: number;
  /** True if the text is coloured with escape codes. The caller decides whether the output supports them. */
  color: boolean;
  /** True if at most five lines are printed below the table; `collbench show` and the report have the rest. */
  isBrief?: boolean;
}

/**
 * Texts of a table whose rows are printed while a run measures. Every function returns whole lines that end in a line feed,
 * and prints nothing itself.
 */
export interface LiveTable {
  /** True if all rows are below one head, so that each row can be printed as soon as it is measured. */
  isLive: boolean;
  /** Returns the lines above the table: what will be measured, and the column heads unless each part of the table has its own. */
  head(): string;
  /**
   * Returns the table row of a point that was measured; if ranks are divided into groups, a row for each group. Empty while the row
   * lacks results of other points.
   * @param point index into plan.points; for a number outside this list, tables with one row per point throw RangeError, others
   * return no row
   * @param cells measured or failed configurations of this point, in any order; a transport without one is shown as not measured
   */
  row(point: number, cells: readonly CellRecord[]): string;
  /** Returns all rows of a stored run at once. Present only if one table row shows several points of the plan as columns. */
  whole?(cells: readonly CellRecord[]): string;
  foot(input: FootInput): string;
}
