import { gammaln } from 'simple-statistics';

/** Natural logarithm of the number of ways to choose `k` of `n`. */
export const logChoose = (n: number, k: number): number =>
  gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1);

/**
 * Returns the probability that `drawn` nights, chosen at random from `all`, contain at least `hits` of the `marked` nights
 * (Fisher's exact test, one-sided). All arguments are numbers of nights.
 */
export function exceedanceP(hits: number, drawn: number, marked: number, all: number): number {
  let p = 0;
  for (let x = Math.max(hits, drawn + marked - all); x <= Math.min(drawn, marked); x += 1)
    p += Math.exp(logChoose(marked, x) + logChoose(all - marked, drawn - x) - logChoose(all, drawn));
  return Math.min(1, p);
}

/**
 * True if the nights from `at` on differ from the earlier ones: all are beyond every earlier night, or more of them are beyond some
 * limit than chance explains. A machine that alternates between two states has nights of both states before and after `at`, so it
 * does not pass.
 * @param z log times, oldest first
 * @param from, at, to indices of the first of the earlier nights, of the first night after these, and of the end, exclusive
 * @param side 1 = upwards (slower), -1 = downwards
 * @param maxP largest p-value at which chance is excluded
 */
export function standsOut(
  z: ArrayLike<number>,
  { from, at, to }: { from: number; at: number; to: number },
  side: number,
  maxP: number,
): boolean {
  const beyond = (limit: number, first: number, end: number): number => {
    let count = 0;
    for (let i = first; i < end; i += 1) if ((z[i] as number) * side >= limit) count += 1;
    return count;
  };
  const after = to - at;
  for (let i = at; i < to; i += 1) {
    const limit = (z[i] as number) * side;
    const [earlier, later] = [beyond(limit, from, at), beyond(limit, at, to)];
    if (earlier === 0 && later === after) return true;
    if (exceedanceP(later, after, earlier + later, to - from) <= maxP) return true;
  }
  return false;
}
