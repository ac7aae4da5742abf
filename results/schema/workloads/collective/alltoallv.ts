/**
 * Elements that a rank sends to a peer in alltoallv, as native/collectives has it: from about count/2 to 3 count/2 as
 * (rank + peer) mod n rises. The parts of each rank are n * count elements together.
 * @param count mean length of a part, elements
 */
export function alltoallvCount(count: number, rank: number, peer: number, ranks: number): number {
  const part = (rank + peer) % ranks;
  return partsBefore(count, part + 1, ranks) - partsBefore(count, part, ranks);
}

/** Elements of all parts that leave their rank, over the elements of one rank's parts. */
export function alltoallvMovedElements(ranks: number, count: number): number {
  if (ranks === 1 || count === 0) return 0;
  let kept = 0;
  for (let rank = 0; rank < ranks; rank++) kept += alltoallvCount(count, rank, rank, ranks);
  return ranks - kept / (ranks * count);
}

/**
 * Share of its parts that the rank with the shortest part of its own sends: rank 0 keeps half a mean part. Rounding to whole
 * elements is left out.
 */
export const alltoallvMaxShare = (ranks: number): number => (ranks > 1 ? 1 - 1 / (2 * ranks) : 0);

/** Elements of parts 0 to k-1; the sums are rounded, not the parts. */
function partsBefore(count: number, k: number, ranks: number): number {
  if (ranks === 1) return k * count;
  const twice = 2 * (ranks - 1);
  const factor = k * (ranks + k - 2);
  return Math.floor(count / twice) * factor + Math.floor(((count % twice) * factor) / twice);
}
