/** One equation of a least-squares fit with unknowns >= 0: the sum over all i of `factors[i]` times unknown i should be `value`. */
export interface Equation {
  /** Factor of each unknown, in the order of the unknowns. */
  factors: readonly number[];
  value: number;
  /** Weight of the equation's squared deviation in the sum that is minimised. */
  weight: number;
}

/**
 * Inverts a square matrix.
 * @returns the inverse, or null for a matrix that is singular within the precision of doubles
 */
function inverseOf(matrix: readonly (readonly number[])[]): number[][] | null {
  const n = matrix.length;
  const rows = matrix.map((row, i) => [...row, ...row.map((_, k) => (k === i ? 1 : 0))]);
  for (let at = 0; at < n; at += 1) {
    const size = (i: number) => Math.abs(rows[i]?.[at] ?? 0);
    let best = at;
    for (let i = at + 1; i < n; i += 1) if (size(i) > size(best)) best = i;
    if (!(size(best) > 1e-10)) return null;
    const pivot = rows[best] as number[];
    rows[best] = rows[at] as number[];
    const scale = pivot[at] as number;
    const scaled = pivot.map((x) => x / scale);
    rows[at] = scaled;
    for (let i = 0; i < n; i += 1) {
      const row = rows[i] as number[];
      const factor = row[at] as number;
      if (i !== at && factor !== 0) rows[i] = row.map((x, k) => x - factor * (scaled[k] as number));
    }
  }
  return rows.map((row) => row.slice(n));
}

export interface LinkSolution {
  /** Value of each unknown, 0 or more. */
  values: number[];
  /**
   * Variance of each unknown, as a multiple of the variance of the deviations (diagonal of the inverse normal matrix). Null if the
   * unknown was set to 0.
   */
  variances: (number | null)[];
}

/**
 * Solves the equations by least squares with unknowns >= 0: for every subset of unknowns, with all others set to 0; the best result
 * is returned. With the few unknowns of a link this is exact and fast.
 * @param unknowns number of unknowns
 * @returns null if no subset has a solution
 */
export function solveNonNegative(equations: readonly Equation[], unknowns: number): LinkSolution | null {
  let best: (LinkSolution & { cost: number }) | null = null;
  for (let mask = 1; mask < 1 << unknowns; mask += 1) {
    const chosen = [...Array(unknowns).keys()].filter((i) => (mask & (1 << i)) !== 0);
    const found = solve(equations, chosen, unknowns);
    if (found !== null && (best === null || found.cost < best.cost)) best = found;
  }
  return best;
}

function solve(equations: readonly Equation[], chosen: readonly number[], unknowns: number) {
  // Costs per byte and per message differ by nine decades, so each column is scaled to length 1.
  const lengths = chosen.map((i) =>
    Math.sqrt(equations.reduce((sum, { factors, weight }) => sum + weight * (factors[i] as number) ** 2, 0)),
  );
  if (lengths.some((length) => !(length > 0))) return null;
  const factor = ({ factors }: Equation, k: number) =>
    (factors[chosen[k] as number] as number) / (lengths[k] as number);
  const sum = (of: (equation: Equation) => number) => equations.reduce((all, one) => all + of(one), 0);
  const matrix = chosen.map((_, a) =>
    chosen.map((_unknown, b) => sum((one) => one.weight * factor(one, a) * factor(one, b))),
  );
  const inverse = inverseOf(matrix);
  if (inverse === null) return null;
  const right = chosen.map((_, a) => sum((one) => one.weight * factor(one, a) * one.value));
  const scaled = inverse.map((row) => row.reduce((all, x, k) => all + x * (right[k] as number), 0));
  if (scaled.some((x) => x < 0)) return null;
  const values = Array<number>(unknowns).fill(0);
  const variances = Array<number | null>(unknowns).fill(null);
  chosen.forEach((unknown, k) => {
    const length = lengths[k] as number;
    values[unknown] = (scaled[k] as number) / length;
    variances[unknown] = (inverse[k]?.[k] as number) / length ** 2;
  });
  const cost = sum(
    (one) =>
      one.weight * (one.value - one.factors.reduce((all, x, i) => all + x * (values[i] as number), 0)) ** 2,
  );
  return { values, variances, cost };
}
