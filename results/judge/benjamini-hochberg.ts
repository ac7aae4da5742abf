/**
 * Benjamini & Hochberg (J. R. Stat. Soc. B 57, 1995), as adjusted p-values: those at or below q are kept, and of what is
 * kept a share of q is expected to be false. That also holds for tests that depend on one another positively, as sizes of
 * the same launches do (Benjamini & Yekutieli 2001).
 * @param p in any order, each 0 to 1
 * @returns adjusted, in the same order
 * @throws {RangeError} a value outside
 */
export function benjaminiHochberg(p: readonly number[]): number[] {
  const bad = p.find((value) => !(value >= 0 && value <= 1));
  if (bad !== undefined) throw new RangeError(`p must lie between 0 and 1, got ${bad}`);
  const order = p.map((value, index) => ({ value, index })).sort((a, b) => b.value - a.value);
  const adjusted = new Array<number>(p.length);
  let least = 1;
  order.forEach(({ value, index }, from) => {
    least = Math.min(least, (value * p.length) / (p.length - from));
    adjusted[index] = least;
  });
  return adjusted;
}
