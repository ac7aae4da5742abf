import type { CellRecord } from '../../results/schema/index.ts';
import type { FootInput } from './foot.ts';
import type { HeadOptions } from './head.ts';

export interface LiveTableOptions extends HeadOptions {
  /** Maximum characters per line; values below 40 count as 40. */
  columns: number;
  /** True to write escape codes for colour. The caller decides whether the output supports them. */
  color: boolean;
  /** True if the foot has only the verdicts; `collbench show` and the report have the rest. */
  isBrief?: boolean;
}

/** Text of a table that is printed during a run. Every function returns whole lines ending in a line feed and prints nothing. */
export interface LiveTable {
  /** True if all rows share one head, so that they can be shown as they come. */
  isLive: boolean;
  /** Returns what will be measured, and the column heads unless each group has its own. */
  head(): string;
  /**
   * Returns the row of one finished point; with groups of ranks, a row for each group. Empty while the row waits for other
   * points.
   * @param point index into plan.points
   * @param cells cells of this point in any order; a transport without a cell is shown as not measured
   */
  row(point: number, cells: readonly CellRecord[]): string;
  /** Returns all rows of a stored run; present if a row holds several points. */
  whole?(cells: readonly CellRecord[]): string;
  foot(input: FootInput): string;
}
