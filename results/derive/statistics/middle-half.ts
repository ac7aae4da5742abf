/**
 * Returns the indices of the middle half of the values: a quarter, rounded down, is left out at each end; of equal values the
 * earlier ones first. The mean over these indices is Tukey's midmean (Exploratory Data Analysis, 1977), or interquartile mean. It
 * stays near the median while less than a quarter of the operations is disturbed. In contrast to medians, means of several parts
 * at the same indices add up to the mean of their total (concomitants; David & Nagaraja, Order Statistics, 2003, 6.8). Means over
 * all operations would also add up, but a few preempted operations dominate them: on two busy cores 22.9 us, while the median was
 * 7.5 us and the midmean 7.6 us.
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
