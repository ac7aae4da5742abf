import { type CostLine, type FitPoint, fitLine } from './line.ts';

/** A line that describes consecutive message sizes. `first` and `last`: indices of its first and last size, both included. */
export interface LineSegment extends CostLine {
  first: number;
  last: number;
}

/** Minimum number of measured sizes to which one line is fitted. */
export const minSegmentPoints = 4;
/** Maximum number of lines that together describe the times of a series. */
const maxSegments = 4;
/**
 * Highest number of sizes at which a fitted line (time over message size) may begin. If more sizes were measured, only every
 * second, third, ... size is tried.
 */
const maxStarts = 128;

/**
 * Divides the sizes into one to four ranges, each with a line: those with the smallest total cost of fit plus 3 ln(n) for each line
 * after the first, since a line adds two parameters and a break (Schwarz 1978; dynamic programming as in Bellman and Roth 1969).
 * Lines need not meet, because times jump if a library changes its protocol.
 * @param points in order of size, at least `minSegmentPoints`
 */
export function segmentsOf(points: readonly FitPoint[]): LineSegment[] {
  const n = points.length;
  const stride = Math.ceil(n / maxStarts);
  // Indices between points at which a line may begin or end; the last one is always n.
  const places: number[] = [];
  for (let at = 0; at < n; at += stride) places.push(at);
  places.push(n);
  const fits = new Map<number, { line: CostLine; cost: number }>();
  const fit = (from: number, to: number) => {
    const key = from * (n + 1) + to;
    const known = fits.get(key) ?? fitLine(points.slice(from, to));
    fits.set(key, known);
    return known;
  };
  interface Best {
    cost: number;
    from: number;
  }
  // best[k] has, by end index: the total cost of the cheapest k + 1 lines over all points before that index, and the index at which
  // the last of them begins.
  const best: Map<number, Best>[] = [new Map()];
  for (const to of places) if (to >= minSegmentPoints) best[0]?.set(to, { cost: fit(0, to).cost, from: 0 });
  for (let k = 1; k < maxSegments; k += 1) {
    const here = new Map<number, Best>();
    // The last possible line must end at the last point.
    for (const to of k === maxSegments - 1 ? [n] : places) {
      for (const [from, before] of best[k - 1] as Map<number, Best>) {
        if (to - from < minSegmentPoints) continue;
        // A line's cost is never negative, so most candidates are excluded without a fit.
        if (before.cost >= (here.get(to)?.cost ?? Number.POSITIVE_INFINITY)) continue;
        const cost = before.cost + fit(from, to).cost;
        if (cost < (here.get(to)?.cost ?? Number.POSITIVE_INFINITY)) here.set(to, { cost, from });
      }
    }
    best.push(here);
  }
  const price = (k: number) => (best[k]?.get(n)?.cost ?? Number.POSITIVE_INFINITY) + 3 * Math.log(n) * k;
  let chosen = 0;
  for (let k = 1; k < maxSegments; k += 1) if (price(k) < price(chosen)) chosen = k;
  const segments: LineSegment[] = [];
  for (let k = chosen, to = n; k >= 0; k -= 1) {
    const from = best[k]?.get(to)?.from ?? 0;
    segments.unshift({ ...fit(from, to).line, first: from, last: to - 1 });
    to = from;
  }
  return segments;
}
