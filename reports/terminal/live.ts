import type { CellRecord } from '../../results/schema/index.ts';
import type { FootInput } from './foot.ts';
import type { HeadOptions } from './head.ts';

export interface LiveTableOptions extends HeadOptions {
  /** Characters per line; no line is longer. Below 40 it is taken as 40. */
  columns: number;
  /** Escape codes for colour; whether the output wants them is the caller's to know. */
  color: boolean;
  /** The foot has the verdicts alone; `collbench show` and the report have the rest. */
  isBrief?: boolean;
}

/** Text of a live table; every function returns whole lines ending in a line feed and prints nothing. */
export interface LiveTable {
  /** Whether rows can be shown as they come, under one head. */
  isLive: boolean;
  /** What will be measured, and the column heads unless groups follow. */
  head(): string;
  /**
   * The finished row of one point; of a run with groups of ranks a row for each. Empty where the row waits for other points.
   * @param point index into plan.points
   * @param cells of this point, in any order; a transport without one is shown as not measured
   */
  row(point: number, cells: readonly CellRecord[]): string;
  /** All rows of a run as it is stored, where they hold more than one point each. */
  whole?(cells: readonly CellRecord[]): string;
  foot(input: FootInput): string;
}
