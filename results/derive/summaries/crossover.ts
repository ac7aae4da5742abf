/** Times of two transports, a and b, at one message size (or other x value), to find the size at which the faster one changes. */
export interface PairedTimes {
  x: number;
  aNs: number;
  bNs: number;
  /** Half width of the 95 % interval of the time, in log time; null if it has none. */
  aHalf: number | null;
  bHalf: number | null;
}

export interface SizeCrossing {
  x: number;
  /**
   * Range of x around the crossing in which neither transport is certainly faster. An end is null if the range reaches the next
   * crossing or the outermost measured x value on that side.
   */
  low: number | null;
  high: number | null;
  /** Transport that is faster at smaller x than the crossing; `above`: the faster one at larger x. */
  below: 'a' | 'b';
  above: 'a' | 'b';
}

export interface CrossoverResult {
  crossings: SizeCrossing[];
  /**
   * The transport that is faster at every measured x value by more than the intervals. Null if there is a crossing, or if neither
   * is.
   */
  always: 'a' | 'b' | null;
  /**
   * Half width of the range in which neither transport is certainly faster, in log time. Null if no x value has intervals of
   * both.
   */
  greyHalf: number | null;
}

/**
 * Points where the faster of two transports changes (stats.md 5.2). Between neighbouring sizes time is linear in bytes, so t_a -
 * t_b is interpolated linearly in x, not in its logarithm. The grey zone lies between the roots of t_a e^h = t_b and t_a e^-h =
 * t_b. Its h is the root mean square over all x of both half widths together: coverage 99 %. Equal times do not count as a
 * change.
 * @param points by ascending x
 */
export function crossings(points: readonly PairedTimes[]): CrossoverResult {
  const squares = points.flatMap(({ aHalf, bHalf }) =>
    aHalf === null || bHalf === null ? [] : [aHalf ** 2 + bHalf ** 2],
  );
  const greyHalf =
    squares.length === 0 ? null : Math.sqrt(squares.reduce((sum, s) => sum + s, 0) / squares.length);
  const h = greyHalf ?? 0;
  const centre = rootsOf(points, 0);
  const edges = [...rootsOf(points, h), ...rootsOf(points, -h)].map((root) => root.x);
  const found = centre.map((root, i): SizeCrossing => {
    // An edge belongs to the nearest crossing; the search ends at neighbouring crossings.
    const from = centre[i - 1]?.x ?? Number.NEGATIVE_INFINITY;
    const to = centre[i + 1]?.x ?? Number.POSITIVE_INFINITY;
    const below = edges.filter((x) => x <= root.x && x > from);
    const above = edges.filter((x) => x >= root.x && x < to);
    return {
      x: root.x,
      low: below.length === 0 ? null : Math.max(...below),
      high: above.length === 0 ? null : Math.min(...above),
      below: root.risesTo === 'b' ? 'a' : 'b',
      above: root.risesTo,
    };
  });
  const wins = points.map((point) => Math.log(point.aNs / point.bNs));
  const always =
    wins.length === 0 || found.length > 0
      ? null
      : wins.every((d) => d < -h)
        ? 'a'
        : wins.every((d) => d > h)
          ? 'b'
          : null;
  return { crossings: found, always, greyHalf };
}

/** Returns the x values at which the times of a and b are equal, if a's are multiplied by e^shift; `risesTo` is faster beyond. */
function rootsOf(points: readonly PairedTimes[], shift: number): { x: number; risesTo: 'a' | 'b' }[] {
  const roots: { x: number; risesTo: 'a' | 'b' }[] = [];
  let before: { x: number; gap: number } | null = null;
  for (const point of points) {
    const gap = point.aNs * Math.exp(shift) - point.bNs;
    if (gap === 0) continue;
    if (before !== null && before.gap < 0 !== gap < 0) {
      const share: number = before.gap / (before.gap - gap);
      roots.push({
        x: before.x + share * (point.x - before.x),
        risesTo: gap < 0 ? 'a' : 'b',
      });
    }
    before = { x: point.x, gap };
  }
  return roots;
}
