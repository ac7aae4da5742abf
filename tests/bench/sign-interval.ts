/**
 * Distribution-free interval of the median: order statistics k and n+1-k, with the largest k that covers at least 95 %
 * (Conover, Practical Nonparametric Statistics, 3rd ed., section 3.2).
 * @param values at least 6 values, because fewer cannot cover 95 %
 * @returns ends of the interval, and its coverage from 0 to 1
 * @throws {RangeError} if there are fewer than 6 values
 */
export function signInterval(values: readonly number[]): { low: number; high: number; coverage: number } {
  const n = values.length;
  if (n < 6) throw new RangeError(`an interval of the median needs at least 6 values, got ${n}`);
  const sorted = [...values].sort((a, b) => a - b);
  let below = 0.5 ** n; // P(at most k-1 of n values lie below the median)
  let term = below;
  let k = 1;
  for (let next = 1; next < n / 2; next += 1) {
    term *= (n - next + 1) / next;
    if (1 - 2 * (below + term) < 0.95) break;
    below += term;
    k = next + 1;
  }
  return { low: sorted[k - 1] as number, high: sorted[n - k] as number, coverage: 1 - 2 * below };
}
