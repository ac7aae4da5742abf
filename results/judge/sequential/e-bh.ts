/**
 * Selects e-values by the procedure of Wang & Ramdas (J. R. Stat. Soc. B 84, 2022), Benjamini & Hochberg for e-values: of K
 * e-values the largest k are accepted, where k is the largest number with e_(k) >= K / (alpha k). At most a share alpha of the
 * accepted ones is expected to be false, whatever their dependence: series may share launches.
 * @param values e-values in any order
 * @param total number K of tests, if it is higher than the number of values; absent = as many
 * @returns lowest e-value that is accepted; Infinity if none is
 */
export function eBenjaminiHochberg(
  values: readonly number[],
  alpha: number,
  total: number = values.length,
): number {
  const sorted = [...values].sort((a, b) => b - a);
  let level = Number.POSITIVE_INFINITY;
  for (const [i, value] of sorted.entries()) if (value >= total / (alpha * (i + 1))) level = value;
  return level;
}
