/** A change by at least this ratio of times is reported even if it is not confirmed. */
export const largeRatio = 1.5;

/** True if times differ by at least `largeRatio`, in either direction. */
export const isLarge = (ratio: number): boolean => Math.abs(Math.log(ratio)) >= Math.log(largeRatio);

/**
 * Returns the lowest and highest ratio between a launch of one side and a launch of the other. The ratio of the figures is always
 * included.
 * @param base log times of launches; like `other`, it may be empty
 * @param ratio log ratio of the figures
 */
export function observedRange(
  base: readonly number[],
  other: readonly number[],
  ratio: number,
): [number, number] {
  if (base.length === 0 || other.length === 0) return [Math.exp(ratio), Math.exp(ratio)];
  const low = Math.min(...other) - Math.max(...base);
  const high = Math.max(...other) - Math.min(...base);
  return [Math.exp(Math.min(low, ratio)), Math.exp(Math.max(high, ratio))];
}
