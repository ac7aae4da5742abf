import { gammaln } from 'simple-statistics';

/**
 * Returns the regularised incomplete beta function I_x(a, b), by the continued fraction of Lentz as in Press et al., Numerical
 * Recipes, 3rd edition, 6.4.
 * @param x in [0, 1]; a, b > 0
 */
export function incompleteBeta(a: number, b: number, x: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  // The fraction converges quickly only below the mean; above it the symmetry is used.
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(b, a, 1 - x);
  const logFront = gammaln(a + b) - gammaln(a) - gammaln(b) + a * Math.log(x) + b * Math.log1p(-x);
  const tiny = 1e-300;
  let c = 1;
  let d = 1 / Math.max(1 - ((a + b) * x) / (a + 1), tiny);
  let fraction = d;
  for (let m = 1; m <= 300; m += 1) {
    for (const numerator of [
      (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m)),
      (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1)),
    ]) {
      d = 1 / awayFromZero(1 + numerator * d, tiny);
      c = awayFromZero(1 + numerator / c, tiny);
      fraction *= c * d;
    }
    if (Math.abs(c * d - 1) < 1e-15) break;
  }
  return (Math.exp(logFront) * fraction) / a;
}

const awayFromZero = (x: number, tiny: number): number => (Math.abs(x) < tiny ? tiny : x);

/** Returns the two-sided p-value, 0 to 1, of a t statistic of either sign. @param df degrees of freedom > 0, whole or not */
export function studentP(t: number, df: number): number {
  return incompleteBeta(df / 2, 0.5, df / (df + t * t));
}

/**
 * Returns the quantile of Student's t: the t with P(T <= t) = p.
 * @param p in (0, 1)
 * @param df degrees of freedom, > 0
 * @throws {RangeError} if p or df is out of range
 */
export function studentQuantile(p: number, df: number): number {
  if (!(p > 0 && p < 1)) throw new RangeError(`p must lie between 0 and 1, got ${p}`);
  if (!(df > 0)) throw new RangeError(`degrees of freedom must be positive, got ${df}`);
  if (p < 0.5) return -studentQuantile(1 - p, df);
  const ofP = quantiles.get(p) ?? new Map<number, number>();
  const known = ofP.get(df);
  if (known !== undefined) return known;
  const found = solve(p, df);
  if (quantiles.size >= maxProbabilities) quantiles.clear();
  if (ofP.size >= maxDegrees) ofP.clear();
  quantiles.set(p, ofP.set(df, found));
  return found;
}

/**
 * Cache of quantiles by probability, then by degrees of freedom: comparisons need few different ones for thousands of results. A
 * map that is full is emptied.
 */
const quantiles = new Map<number, Map<number, number>>();
const maxProbabilities = 64;
const maxDegrees = 4096;

/**
 * Returns the quantile of Student's t with `df` degrees of freedom at probability `p`, by Newton's method on the logarithm of the
 * tail probability, which is nearly linear. A step outside the known bracket is replaced by bisection.
 * @param p 0.5 or more
 */
function solve(p: number, df: number): number {
  const twoSided = 2 * (1 - p);
  if (twoSided >= 1) return 0;
  const logFront = gammaln((df + 1) / 2) - gammaln(df / 2) - Math.log(Math.PI * df) / 2;
  let low = 0;
  let high = 2;
  while (studentP(high, df) > twoSided) high *= 2;
  let t = (low + high) / 2;
  for (let i = 0; i < 200 && high - low > 1e-13 * high; i += 1) {
    const tail = studentP(t, df);
    if (tail > twoSided) low = t;
    else high = t;
    const density = Math.exp(logFront - ((df + 1) / 2) * Math.log1p((t * t) / df));
    const next = t + (Math.log(tail / twoSided) * tail) / (2 * density);
    if (Math.abs(next - t) <= 1e-14 * t) return next;
    t = next > low && next < high ? next : (low + high) / 2;
  }
  return t;
}
