import { type CollectiveName, type DtypeName, dtypeBytes } from '../../names.ts';

const others = (n: number) => n - 1;

/** How many times S all ranks together must send between ranks at least, n ranks; 0 for a single rank. */
export const leastMoved: Record<CollectiveName, (ranks: number) => number> = {
  allreduce: (n) => 2 * (n - 1),
  allgather: others,
  reducescatter: others,
  broadcast: others,
  reduce: others,
  alltoall: others,
  // S is what the root has in the end; its own part stays where it is.
  gather: (n) => (n - 1) / n,
  scatter: (n) => (n - 1) / n,
  sendrecv: (n) => (n > 1 ? n : 0),
  // S leaves out a rank's own part already.
  hypercube: (n) => (n > 1 ? n : 0),
  alltoallv: others,
};

/**
 * Payload bytes that one operation must send between ranks, summed over all ranks, per algorithm. S is
 * the axis `bytes`, n the ranks.
 *
 * - `ring` (Patarasuk & Yuan 2009; NCCL's ring): allreduce 2(n-1)S, allgather and reducescatter (n-1)S,
 *   broadcast and reduce (n-1)S, as S passes over n-1 links.
 * - `Ring` and the other names of NCCL's algorithms, and none for point to point: what must be sent at least, whatever
 *   the algorithm adds. In-switch reduction (NVLS, CollNet) sends less, so nothing is expected of it.
 * - `direct` (each rank sends its data to those that need it, everybody reduces for himself): allreduce n(n-1)S,
 *   allgather n(n-1)S/n, reducescatter n(n-1)S/n, broadcast and reduce (n-1)S.
 * @returns null for an algorithm that is not known here: nothing can be expected of it
 */
export function payloadBytesMoved(
  collective: CollectiveName,
  algorithm: string,
  payloadBytes: number,
  ranks: number,
): number | null {
  const least = leastMoved[collective](ranks) * payloadBytes;
  switch (algorithm) {
    case 'ring':
    case 'Ring':
    case 'Tree':
    case 'PAT':
      return least;
    case 'direct':
      return collective === 'allreduce' ? ranks * (ranks - 1) * payloadBytes : least;
    case '':
      return isPointToPoint(collective) ? least : null;
    default:
      return null;
  }
}

/** Made of sends and receives: NCCL has no algorithm to choose there. */
export function isPointToPoint(collective: CollectiveName): boolean {
  return ['alltoall', 'gather', 'scatter', 'sendrecv', 'hypercube', 'alltoallv'].includes(collective);
}

/**
 * Parts that S is made of: `count` is one rank's part where that is not 1.
 */
export const partsOf: Record<CollectiveName, (ranks: number) => number> = {
  allreduce: () => 1,
  allgather: (n) => n,
  reducescatter: (n) => n,
  broadcast: () => 1,
  reduce: () => 1,
  alltoall: (n) => n,
  gather: (n) => n,
  scatter: (n) => n,
  sendrecv: () => 1,
  hypercube: (n) => n - 1,
  alltoallv: (n) => n,
};

/** S from NCCL's count argument: bytes of the vector, or of all its parts. */
export const payloadOf = (
  collective: CollectiveName,
  dtype: DtypeName,
  count: number,
  ranks: number,
): number => count * dtypeBytes[dtype] * partsOf[collective](ranks);
