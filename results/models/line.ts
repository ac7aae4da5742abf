/** Measured time of one message size, to which a line is fitted. */
export interface FitPoint {
  /** Payload S in bytes, positive. */
  bytes: number;
  /** Measured time of one operation, positive. */
  timeNs: number;
  /** Relative standard error of the time (0.01 = 1 %), positive. The smaller it is, the more the time weighs in the fit. */
  spread: number;
}

/** Line of Hockney's model: time in ns = alphaNs + nsPerByte * bytes; both parameters are >= 0. */
export interface CostLine {
  alphaNs: number;
  nsPerByte: number;
}

export const lineTime = (line: CostLine, bytes: number): number => line.alphaNs + line.nsPerByte * bytes;

/**
 * Deviations above this many standard errors count linearly instead of squared in the fit (Huber 1964), so that outliers have less
 * influence.
 */
export const huberLimit = 2;
const steps = 4;

/** Returns Huber's loss of deviations >= 0 in standard errors: chi-square if all are below `huberLimit`. */
export const huberCost = (deviations: readonly number[]): number =>
  deviations.reduce((sum, z) => sum + (z <= huberLimit ? z ** 2 : 2 * huberLimit * z - huberLimit ** 2), 0);

/**
 * Returns the line of weighted least squares with both parameters >= 0. Sums are taken relative to the means, because sizes differ
 * by up to nine powers of ten.
 */
function leastSquares(points: readonly FitPoint[], weights: Float64Array): CostLine {
  let [total, meanS, meanT] = [0, 0, 0];
  for (let i = 0; i < points.length; i += 1) {
    const { bytes, timeNs } = points[i] as FitPoint;
    const w = weights[i] as number;
    total += w;
    meanS += (w / total) * (bytes - meanS);
    meanT += (w / total) * (timeNs - meanT);
  }
  let [ss, st] = [0, 0];
  for (let i = 0; i < points.length; i += 1) {
    const { bytes, timeNs } = points[i] as FitPoint;
    const w = weights[i] as number;
    ss += w * (bytes - meanS) ** 2;
    st += w * (bytes - meanS) * (timeNs - meanT);
  }
  const nsPerByte = ss > 0 ? st / ss : 0;
  if (nsPerByte <= 0) return { alphaNs: meanT, nsPerByte: 0 };
  const alphaNs = meanT - nsPerByte * meanS;
  if (alphaNs >= 0) return { alphaNs, nsPerByte };
  return { alphaNs: 0, nsPerByte: (st + total * meanS * meanT) / (ss + total * meanS ** 2) };
}

/** Returns the distance of a measured time from the line, without sign, in standard errors of the time. */
const residual = (line: CostLine, { bytes, timeNs, spread }: FitPoint): number =>
  Math.abs(timeNs - lineTime(line, bytes)) / (timeNs * spread);

/**
 * Fits a line to times with relative errors; with absolute errors the largest message would dominate the fit. Iteratively
 * reweighted least squares with Huber's weights, so that one outlier does not bend the line.
 * @param points at least two
 * @returns `cost`: sum over the points of Huber's loss of the deviation in standard errors, which is chi-square for small
 * deviations
 */
export function fitLine(points: readonly FitPoint[]): { line: CostLine; cost: number } {
  // Plain loops, for speed: a model tries hundreds of segments.
  const plain = new Float64Array(points.length);
  for (let i = 0; i < points.length; i += 1) {
    const { timeNs, spread } = points[i] as FitPoint;
    plain[i] = 1 / (timeNs * spread) ** 2;
  }
  const weights = plain.slice();
  let line = leastSquares(points, weights);
  for (let step = 0; step < steps; step += 1) {
    let isSettled = true;
    for (let i = 0; i < points.length; i += 1) {
      const weight = Math.min(1, huberLimit / residual(line, points[i] as FitPoint)) * (plain[i] as number);
      if (weight !== weights[i]) isSettled = false;
      weights[i] = weight;
    }
    // Usual case: there is no outlier, so the same weights give the same line.
    if (isSettled) break;
    line = leastSquares(points, weights);
  }
  return { line, cost: huberCost(points.map((point) => residual(line, point))) };
}
