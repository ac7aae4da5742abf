/** Two hosts by their place in a list, the smaller first. */
export type HostPair = readonly [number, number];

/**
 * All pairs of n hosts in rounds; in a round no host occurs twice, so that its pairs run side by side. Circle method:
 * one seat stays, the others move on. n - 1 rounds, n of them where n is odd (one host rests in each).
 * @param n 0 and 1 have no pairs
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
      // The seat beyond an odd n is empty.
      if (Math.max(a, b) < n) pairs.push([Math.min(a, b), Math.max(a, b)]);
    }
    return pairs;
  });
}

/** The incremental ring: the first 2, 3, ... n hosts. */
export const ringSteps = (n: number): number[][] =>
  Array.from({ length: Math.max(0, n - 1) }, (_, step) => Array.from({ length: step + 2 }, (_, i) => i));
