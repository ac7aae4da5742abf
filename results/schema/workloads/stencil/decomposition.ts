/**
 * Division of the ranks into columns and rows, as square as the number of ranks allows. native/workloads/stencil/decomposition.cc
 * computes the same.
 */
export interface RankGrid {
  columns: number;
  rows: number;
}

export function rankGrid(ranks: number): RankGrid {
  let rows = 1;
  for (let n = 1; n * n <= ranks; n++) if (ranks % n === 0) rows = n;
  return { columns: ranks / rows, rows };
}

/** Returns width and height of the whole grid in points. @param ranks with weak scaling the grid grows with it */
export function gridOf(
  { grid, scaling }: { grid: number; scaling: string },
  ranks: number,
): { width: number; height: number } {
  const { columns, rows } = rankGrid(ranks);
  return scaling === 'weak' ? { width: grid * columns, height: grid * rows } : { width: grid, height: grid };
}

/** Returns the number of halo points that all ranks together send in one exchange. @param axes.grid edge length in points */
export function haloPoints(axes: { grid: number; scaling: string }, ranks: number): number {
  const { columns, rows } = rankGrid(ranks);
  const { width, height } = gridOf(axes, ranks);
  return 2 * ((columns - 1) * height + (rows - 1) * width);
}
