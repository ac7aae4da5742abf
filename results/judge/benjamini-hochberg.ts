/**
 * Adjusted p-values of Benjamini & Hochberg (J. R. Stat. Soc. B 57, 1995). If tests with values up to q are accepted, a share
 * of q of them is expected to be false. This also holds for positively dependent tests, such as sizes of
 * the same launches (Benjamini & Yekutieli 2001).
 * @param p in any order, each 0 to 1
 * @returns adjusted, in the same order
 * @throws {RangeError} if a value is outside
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
