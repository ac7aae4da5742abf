/** Two hosts by their index in a list, the lower index first. */
export type HostPair = readonly [number, number];

/**
 * All pairs of n hosts, in rounds. No host occurs twice in a round, so the pairs of a round can run at the same time. Circle
 * method: one host is fixed, the others rotate. There are n - 1 rounds, or n if n is odd (one host rests in each).
 * @param n number of hosts; 0 and 1 have no pairs
 */
export function pairRounds(n: number): HostPair[][] {
  if (n < 2) return [];
  const seats = n + (n % 2);
  const moving = seats - 1;
  return Array.from({ length: moving }, (_, round) => {
    const pairs: HostPair[] = [];
    for (let i = 0; i < seats / 2; i++) {
      const a = i === 0 ? moving : (round + i) % moving;
      const b = (round - i + moving) % moving;
      // The last seat is empty if n is odd.
      if (Math.max(a, b) < n) pairs.push([Math.min(a, b), Math.max(a, b)]);
    }
    return pairs;
  });
}

/** Rings of growing size: host indices of the first 2, 3, ... n hosts. */
export const ringSteps = (n: number): number[][] =>
  Array.from({ length: Math.max(0, n - 1) }, (_, step) => Array.from({ length: step + 2 }, (_, i) => i));
