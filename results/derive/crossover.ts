/** One x measured on both arms; x ascends. */
export interface PairedTimes {
  x: number;
  aNs: number;
  bNs: number;
  /** Relative (log) half width of the 95 % interval of each median; null where there is none. */
  aHalf: number | null;
  bHalf: number | null;
}

export interface SizeCrossing {
  x: number;
  /** Grey zone: between these neither can be called faster; null where it reaches the last measured x. */
  low: number | null;
  high: number | null;
  /** Faster below and above. */
  below: 'a' | 'b';
  above: 'a' | 'b';
}

export interface CrossoverResult {
  crossings: SizeCrossing[];
  /** Faster at every measured x, beyond the intervals; null where there is a crossing or no such arm. */
  always: 'a' | 'b' | null;
  /** h of the grey zone, log time; null when no x has intervals on both arms (then there is no grey zone). */
  greyHalf: number | null;
}

/**
 * Where the faster of two transports changes (stats.md 5.2). Between neighbouring sizes time is linear in bytes, so
 * t_a - t_b is interpolated linearly in x, not in its logarithm. The grey zone lies between the roots of t_a e^h = t_b and
 * t_a e^-h = t_b, with h the root mean square over all x of both half widths together: coverage 99 %.
 * Equal times count as the side that went before.
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
    // An edge belongs to the crossing it is next to: none is looked for beyond a neighbouring crossing.
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

/** Roots of t_a e^shift - t_b over x; `risesTo` is the faster arm above the root. */
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
