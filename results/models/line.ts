/** One size as the fit sees it. */
export interface FitPoint {
  /** S, positive. */
  bytes: number;
  timeNs: number;
  /** Relative standard error of the time, positive: what a residual is held against. */
  spread: number;
}

/** T = alphaNs + nsPerByte S; neither is negative (Hockney 1994). */
export interface Line {
  alphaNs: number;
  nsPerByte: number;
}

export const timeOn = (line: Line, bytes: number): number => line.alphaNs + line.nsPerByte * bytes;

/** A residual of more standard errors than this counts linearly, not squared (Huber 1964). */
const huberLimit = 2;
const steps = 4;

/** Weighted least squares under alpha, beta >= 0. Sums are taken about the means: sizes span nine decades. */
function leastSquares(points: readonly FitPoint[], weights: readonly number[]): Line {
  let [total, meanS, meanT] = [0, 0, 0];
  points.forEach(({ bytes, timeNs }, i) => {
    const w = weights[i] as number;
    total += w;
    meanS += (w / total) * (bytes - meanS);
    meanT += (w / total) * (timeNs - meanT);
  });
  let [ss, st] = [0, 0];
  points.forEach(({ bytes, timeNs }, i) => {
    const w = weights[i] as number;
    ss += w * (bytes - meanS) ** 2;
    st += w * (bytes - meanS) * (timeNs - meanT);
  });
  const nsPerByte = ss > 0 ? st / ss : 0;
  if (nsPerByte <= 0) return { alphaNs: meanT, nsPerByte: 0 };
  const alphaNs = meanT - nsPerByte * meanS;
  if (alphaNs >= 0) return { alphaNs, nsPerByte };
  return { alphaNs: 0, nsPerByte: (st + total * meanS * meanT) / (ss + total * meanS ** 2) };
}

/**
 * Line through times of which each is known to a share of itself: unweighted, the largest message would own the fit.
 * Iteratively reweighted least squares with Huber's weights, so that one size that sticks out does not bend it.
 * @param points at least two
 * @returns `cost`: sum of Huber's loss, which for small residuals is chi-square
 */
export function fitLine(points: readonly FitPoint[]): { line: Line; cost: number } {
  const scales = points.map(({ timeNs, spread }) => timeNs * spread);
  let weights = scales.map((scale) => 1 / scale ** 2);
  let line = leastSquares(points, weights);
  const residuals = () =>
    points.map((p, i) => Math.abs(p.timeNs - timeOn(line, p.bytes)) / (scales[i] as number));
  for (let step = 0; step < steps; step += 1) {
    weights = residuals().map((z, i) => Math.min(1, huberLimit / z) / (scales[i] as number) ** 2);
    line = leastSquares(points, weights);
  }
  const cost = residuals().reduce(
    (sum, z) => sum + (z <= huberLimit ? z ** 2 : 2 * huberLimit * z - huberLimit ** 2),
    0,
  );
  return { line, cost };
}
