/**
 * Indices of the middle half of some values: a quarter of them, rounded down, is left out at either end; of equal values the
 * earlier ones first. The mean over it is Tukey's midmean (Exploratory Data Analysis, 1977), or interquartile mean. It
 * stays near the median while less than a quarter of the operations is disturbed. Unlike the median it can be divided:
 * means of other columns at the same indices (concomitants of the ordered values; David & Nagaraja, Order Statistics, 2003,
 * 6.8) add up as each operation does. The mean of all operations does so too, but a few preempted operations dominate it:
 * on two busy cores it was 22.9 us, while the median was 7.5 us and the midmean 7.6 us.
 * @param values at least one
 * @returns indices in ascending order; all of them for fewer than four values
 */
export function middleHalf(values: readonly number[]): number[] {
  const cut = Math.floor(values.length / 4);
  const ordered = values
    .map((_, place) => place)
    .sort((a, b) => Number(values[a]) - Number(values[b]) || a - b);
  return ordered.slice(cut, values.length - cut).sort((a, b) => a - b);
}
