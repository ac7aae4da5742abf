import { studentP } from '../derive/statistics/student.ts';

/** Sums from which the variance of nights around their mean level, and the autocorrelation of neighbouring nights, are computed. */
export interface NightScatter {
  /**
   * Sum of squared deviations of nights from their mean level, in log time. `degrees`: its degrees of freedom, which are the number
   * of nights minus the number of subtracted means.
   */
  squares: number;
  degrees: number;
  /** Sum of products of the deviations of neighbouring nights. `means`: number of means that were subtracted. */
  products: number;
  means: number;
}

export const noScatter: NightScatter = { squares: 0, degrees: 0, products: 0, means: 0 };

/** Adds up the sums of two sets of nights that have different mean levels. */
export const addScatter = (a: NightScatter, b: NightScatter): NightScatter => ({
  squares: a.squares + b.squares,
  degrees: a.degrees + b.degrees,
  products: a.products + b.products,
  means: a.means + b.means,
});

/** A division of consecutive nights into those before index `at` and those from `at` on, considered as a possible change. */
export interface ScanSplit {
  /** Index of the first night after the division. */
  at: number;
  /**
   * Mean log time from `at` on, minus that before it. Values far from the median of their part, the nights on one side of `at`, may
   * be moved nearer first (winsorised).
   */
  shift: number;
  /** Statistic of the pooled t test, corrected for autocorrelation; `degrees`: its degrees of freedom. */
  t: number;
  degrees: number;
  /**
   * Two-sided p-value of this division alone, corrected for autocorrelation. It does not allow for the other divisions that were
   * tried.
   */
  p: number;
  /**
   * First and last value of `at` of the unbroken range around it that describes the nights about equally well: log likelihood
   * within 1.92 of that at `at` (95 % profile set). Both equal `at` if |t| is below `worthCorrecting`.
   */
  first: number;
  last: number;
  /** Variance and autocorrelation of the nights before the division. */
  scatter: NightScatter;
}

export interface ScanLimits {
  /** Lowest number of nights before a possible change; `right`: lowest number of nights after it. */
  left: number;
  right: number;
  /** Further nights from which the autocorrelation of neighbours is estimated; absent = those of scanT()'s parameter `known`. */
  alike?: NightScatter;
}

/**
 * Maximum distance of a log time from the median of its part (the nights on one side of a division), in robust standard deviations
 * of the whole window. Values farther away are moved to this distance (winsorised), unless they are more than `maxMovedShare` of
 * the nights.
 */
const farthest = 3.5;
/**
 * Largest share of a window's nights whose values may be moved towards the median (winsorised). If more values are far out, none is
 * moved: they are then a second state of the machine, and moving them would make the nights look steadier than they are.
 */
const maxMovedShare = 0.03;
/**
 * Lowest standard deviation of nights that is assumed, in log time. Values of different nights are equal only because the clock is
 * coarse.
 */
export const minNightScatter = 5e-4;

const median = (sorted: readonly number[], n: number): number =>
  n % 2 === 1
    ? (sorted[(n - 1) / 2] as number)
    : ((sorted[n / 2 - 1] as number) + (sorted[n / 2] as number)) / 2;

/** Inserts `x` into an ascending list, in place. @param n number of values in `sorted` before the call */
function insert(sorted: number[], n: number, x: number): void {
  let i = n;
  for (; i > 0 && (sorted[i - 1] as number) > x; i -= 1) sorted[i] = sorted[i - 1] as number;
  sorted[i] = x;
}

/**
 * Removes one `x` from an ascending list, in place. The array keeps its length; its last value is then no longer used.
 * @param n number of values in `sorted` before the call, `x` among them
 */
function remove(sorted: number[], n: number, x: number): void {
  let i = 0;
  while (sorted[i] !== x) i += 1;
  for (; i < n - 1; i += 1) sorted[i] = sorted[i + 1] as number;
}

/**
 * Returns the values of nights `from` to `to` (exclusive) in ascending order. Insertion sort is faster than sorting a typed array
 * for so few values.
 * @param z log times of the nights (or log ratios to the reference build), oldest first
 */
export function sortedPart(z: ArrayLike<number>, from: number, to: number): number[] {
  const sorted: number[] = [];
  for (let i = from; i < to; i += 1) insert(sorted, i - from, z[i] as number);
  return sorted;
}

/**
 * Returns the standard deviation of the nights from `from` to before `to`, at least `minNightScatter`. It is computed from
 * differences of neighbours, so that a single change does not increase it.
 * @param z log times of the nights (or log ratios to the reference build), oldest first
 */
export function robustScatter(z: ArrayLike<number>, from: number, to: number): number {
  const n = to - from - 1;
  const steps: number[] = [];
  for (let i = 0; i < n; i += 1)
    insert(steps, i, Math.abs((z[from + i + 1] as number) - (z[from + i] as number)));
  return Math.max(minNightScatter, (1.4826 / Math.SQRT2) * median(steps, n));
}

/** Mean of the log times of some nights. `squares` is the sum of their squared deviations from this mean. */
interface ScanSpread {
  mean: number;
  squares: number;
}

/**
 * Mean and sum of squared deviations of the nights of a window before or after a possible change. Values farther from their median
 * than a limit (usually 3.5 robust standard deviations of the window) were moved to this distance first.
 */
interface WinsorisedSpread extends ScanSpread {
  /** Mean and sum of squared deviations of the values as they were before any was moved. */
  plain: ScanSpread;
  /** Number of values that were moved to the limit, because they were farther from the median. */
  moved: number;
}

/**
 * Returns mean and sum of squared deviations of nights `from` to `to` (exclusive). Values farther than `limit` from `centre` are
 * moved to that distance first.
 * @param z log times of the nights (or log ratios to the reference build), oldest first
 */
function winsorised(
  z: ArrayLike<number>,
  from: number,
  to: number,
  centre: number,
  limit: number,
): WinsorisedSpread {
  let [sum, squares, plainSum, plainSquares, moved] = [0, 0, 0, 0, 0];
  for (let i = from; i < to; i += 1) {
    let x = (z[i] as number) - centre;
    plainSum += x;
    plainSquares += x * x;
    if (Math.abs(x) > limit) {
      x = x > 0 ? limit : -limit;
      moved += 1;
    }
    sum += x;
    squares += x * x;
  }
  const n = to - from;
  return {
    mean: centre + sum / n,
    squares: squares - (sum * sum) / n,
    plain: { mean: centre + plainSum / n, squares: plainSquares - (plainSum * plainSum) / n },
    moved,
  };
}

/**
 * Returns the best division of nights `from` to `to` (exclusive) into a left and a right part: the one with the largest |t| of the
 * pooled t-test on winsorised parts (results/README.md, Runs over time). The caller decides by its p-value whether it is a change.
 * @param z log times of nights, oldest first
 * @param known scatter of nights before `from`, pooled into the variance
 * @returns null if there are fewer nights than `limits` require
 */
export function scanT(
  z: ArrayLike<number>,
  from: number,
  to: number,
  limits: ScanLimits,
  known: NightScatter = noScatter,
): ScanSplit | null {
  const n = to - from;
  if (n < limits.left + limits.right) return null;
  const limit = farthest * robustScatter(z, from, to);
  const left = sortedPart(z, from, from + limits.left - 1);
  const right = sortedPart(z, from + limits.left - 1, to);
  const part = partSums(z, from, to);
  const within = new Array<number>(n).fill(Infinity);
  const degrees = n - 2 + known.degrees;
  let best = 0;
  let found = { t: 0, shift: 0, squares: 0, centre: 0, limit };
  for (let k = limits.left; k <= n - limits.right; k += 1) {
    const moved = z[from + k - 1] as number;
    insert(left, k - 1, moved);
    remove(right, n - k + 1, moved);
    const before = part(left, 0, k, limit);
    const after = part(right, k, n, limit);
    const isPlain = before.moved + after.moved > maxMovedShare * n;
    const [first, second] = isPlain ? [before.plain, after.plain] : [before, after];
    const squares = first.squares + second.squares;
    within[k] = Math.max(squares, degrees * minNightScatter ** 2);
    const variance = Math.max((squares + known.squares) / degrees, minNightScatter ** 2);
    const shift = second.mean - first.mean;
    const t = shift / Math.sqrt(variance * (1 / k + 1 / (n - k)));
    if (best > 0 && Math.abs(t) <= Math.abs(found.t)) continue;
    found = { t, shift, squares: first.squares, centre: median(left, k), limit: isPlain ? Infinity : limit };
    best = k;
  }
  const { shift, squares, centre } = found;
  const isWorth = Math.abs(found.t) >= worthCorrecting;
  const products = isWorth ? neighbourProducts(z, from, from + best, centre, found.limit) : 0;
  const scatter = { squares, degrees: best - 1, products, means: 1 };
  const rho = isWorth ? correlation(addScatter(scatter, limits.alike ?? known)) : 0;
  const t = found.t * Math.sqrt(independentShare(best, n - best, rho));
  const [first, last] = isWorth ? likelyDivisions(within, best, n) : [best, best];
  return {
    at: from + best,
    shift,
    t,
    degrees,
    p: studentP(t, degrees),
    first: from + first,
    last: from + last,
    scatter,
  };
}

/**
 * Returns a function that computes winsorised() around the median for a part of the window, which is the nights `from` to `to`
 * (exclusive). If no value is far enough out to be moved, the function uses running sums, which is faster.
 */
function partSums(z: ArrayLike<number>, from: number, to: number) {
  const n = to - from;
  const sums = [0];
  const squares = [0];
  const origin = z[from] as number;
  for (let i = 0; i < n; i += 1) {
    const x = (z[from + i] as number) - origin;
    sums[i + 1] = (sums[i] as number) + x;
    squares[i + 1] = (squares[i] as number) + x * x;
  }
  return (sorted: readonly number[], a: number, b: number, limit: number): WinsorisedSpread => {
    const size = b - a;
    const centre = median(sorted, size);
    if (centre - (sorted[0] as number) > limit || (sorted[size - 1] as number) - centre > limit)
      return winsorised(z, from + a, from + b, centre, limit);
    const sum = (sums[b] as number) - (sums[a] as number);
    const square = (squares[b] as number) - (squares[a] as number);
    const plain = { mean: origin + sum / size, squares: Math.max(0, square - (sum * sum) / size) };
    return { ...plain, plain, moved: 0 };
  };
}

/** Lowest |t| for which autocorrelation is computed. Below it no division is a change, with or without the correction. */
const worthCorrecting = 3;

/**
 * Returns the first and last division of the unbroken range around `best` whose log likelihood is at most 1.92 below that of
 * `best`. The log likelihood is -n/2 times the log of the squares within both parts. A division is given by the number of nights
 * before it.
 * @param within sum of squares within both parts, by division
 * @param best division with the largest |t|
 * @param n number of nights in the window
 */
function likelyDivisions(within: readonly number[], best: number, n: number): [number, number] {
  const least = within[best] as number;
  const likely = (k: number): boolean => (n / 2) * Math.log((within[k] ?? Infinity) / least) <= 1.92;
  let first = best;
  let last = best;
  while (likely(first - 1)) first -= 1;
  while (likely(last + 1)) last += 1;
  return [first, last];
}

/**
 * Returns the sum of the products of neighbouring nights' deviations from the mean of the nights from `from` to before `to`. Values
 * farther than `limit` from `centre` are moved to that distance first.
 * @param z log times of the nights (or log ratios to the reference build), oldest first
 */
export function neighbourProducts(
  z: ArrayLike<number>,
  from: number,
  to: number,
  centre: number,
  limit: number,
): number {
  const { mean } = winsorised(z, from, to, centre, limit);
  const moved = (i: number): number =>
    Math.min(Math.max((z[i] as number) - centre, -limit), limit) + centre - mean;
  let products = 0;
  for (let i = from + 1; i < to; i += 1) products += moved(i) * moved(i - 1);
  return products;
}

/**
 * Number of standard errors that are added to the estimated correlation of neighbours. Few nights show it badly, and an estimate
 * that is too low makes chance look like a change. The number comes from docs/generated/truth-history.json: at most 0.3 false
 * changes a year if the correlation is 0.3.
 */
const correlationMargin = 1.5;

/**
 * Returns an upper bound of the lag-1 autocorrelation of nights, at least 0 and at most 0.9. The estimate is corrected for its
 * bias of -(1 + 3 rho)/n (Kendall 1954).
 */
function correlation({ squares, degrees, products, means }: NightScatter): number {
  if (squares === 0) return 0;
  const n = degrees + means;
  const plain = products / squares;
  const rho = plain + ((1 + 3 * plain) * means) / n;
  const upper = rho + correlationMargin * Math.sqrt(Math.max(0, 1 - rho * rho) / n);
  return Math.min(Math.max(upper, 0), 0.9);
}

/**
 * Returns the factor by which t squared is reduced because neighbouring nights are similar: the variance of the difference of two
 * means if nights were independent, divided by its variance with lag-1 autocorrelation rho. The sample variance of similar nights
 * is also too small, by `bias`. The factor is at most 1: nights are never assumed to be better than independent.
 * @param k, r numbers of nights before and after the change
 */
function independentShare(k: number, r: number, rho: number): number {
  const inflation = (m: number): number => {
    let sum = 1;
    for (let lag = 1; lag < m; lag += 1) sum += 2 * (1 - lag / m) * rho ** lag;
    return sum;
  };
  const [before, after] = [inflation(k), inflation(r)];
  const bias = (k + r - before - after) / (k + r - 2);
  return ((1 / k + 1 / r) * bias) / (before / k + after / r);
}

/**
 * Limits up to which a window cannot contain a change: |t| of the values as measured (`calmT`), and the deviation of a night in
 * robust standard deviations (`calmDeviation`).
 */
const calmT = 3;
const calmDeviation = 3.2;

/** Factor slightly below 1 that allows for rounding errors in sums. */
const margin = 1 - 1e-9;

/**
 * True if scanT() cannot find a change in the window, the nights from `from` to before `to`; the test takes a tenth of scanT()'s
 * time. Either all nights are closer together than the smallest change, or no night is far out and no division has a large |t| on
 * the values as measured. scan.test.ts compares results with and without this test.
 * @param smallest smallest change that is reported, in log time
 * @param known scatter of nights before `from`, as for scanT()
 */
export function isCalm(
  z: ArrayLike<number>,
  from: number,
  to: number,
  limits: ScanLimits,
  smallest: number,
  known: NightScatter = noScatter,
): boolean {
  const n = to - from;
  const origin = z[from] as number;
  let all = 0;
  let squares = 0;
  let [low, high] = [0, 0];
  for (let i = from; i < to; i += 1) {
    const x = (z[i] as number) - origin;
    all += x;
    squares += x * x;
    if (x < low) low = x;
    else if (x > high) high = x;
  }
  if (high - low < smallest * margin) return true;
  const mean = all / n;
  const around = squares - all * mean;
  // Robust scatter is used: several outliers would widen the standard deviation until it hides both them and a change.
  const farthestOff = calmDeviation * robustScatter(z, from, to);
  if (high - mean > farthestOff || mean - low > farthestOff) return false;
  const degrees = n - 2 + known.degrees;
  let sum = 0;
  for (let k = 1; k <= n - limits.right; k += 1) {
    sum += (z[from + k - 1] as number) - origin;
    if (k < limits.left) continue;
    const shift = (all - sum) / (n - k) - sum / k;
    // The part of the squares that the division explains is subtracted from the squares around the common mean.
    const explained = shift * shift * ((k * (n - k)) / n);
    const variance = Math.max((around - explained + known.squares) / degrees, minNightScatter ** 2);
    if (shift * shift > calmT * calmT * variance * (1 / k + 1 / (n - k))) return false;
  }
  return true;
}
