/**
 * Returns the number of elements that a rank sends to a peer in alltoallv, by the formula of native/collectives. It rises with
 * (rank + peer) mod n, from about count/2 to 3 count/2, where n is the number of ranks. All parts of one rank together have n *
 * count elements.
 * @param count mean number of elements that a rank sends to a peer
 */
export function alltoallvCount(count: number, rank: number, peer: number, ranks: number): number {
  const part = (rank + peer) % ranks;
  return partsBefore(count, part + 1, ranks) - partsBefore(count, part, ranks);
}

/**
 * Returns the number of elements that all ranks together send to other ranks in alltoallv, divided by the n * count elements of
 * one rank. n is the number of ranks. 0 for a single rank, or if `count` is 0.
 * @param count mean number of elements that a rank sends to a peer
 */
export function alltoallvMovedElements(ranks: number, count: number): number {
  if (ranks === 1 || count === 0) return 0;
  let kept = 0;
  for (let rank = 0; rank < ranks; rank++) kept += alltoallvCount(count, rank, rank, ranks);
  return ranks - kept / (ranks * count);
}

/**
 * Returns the share of its elements that rank 0 sends to other ranks in alltoallv, which is the highest of all ranks: rank 0 keeps
 * its shortest part, half as long as a mean part. Rounding to whole elements is ignored.
 */
export const alltoallvMaxShare = (ranks: number): number => (ranks > 1 ? 1 - 1 / (2 * ranks) : 0);

/**
 * Returns the number of elements in the parts 0 to k-1 of a rank together. Only such sums are rounded, so that all parts of the
 * rank together have exactly n * count elements, where n is the number of ranks.
 */
function partsBefore(count: number, k: number, ranks: number): number {
  if (ranks === 1) return k * count;
  const twice = 2 * (ranks - 1);
  const factor = k * (ranks + k - 2);
  return Math.floor(count / twice) * factor + Math.floor(((count % twice) * factor) / twice);
}
