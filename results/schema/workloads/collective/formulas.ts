import { type DtypeName, dtypeBytes } from '../../names.ts';
import { type CollectiveName, collectives } from './table.ts';

/**
 * Returns the bus factor: the smallest share of the payload S (see payloadOf()) that the link of the busiest rank must carry. It
 * has no unit, may exceed 1 (allreduce), and is 0 for a single rank.
 * @throws {RangeError} if `ranks` is not a whole number >= 1
 */
export function busFactor(collective: CollectiveName, ranks: number): number {
  if (!(Number.isInteger(ranks) && ranks >= 1)) {
    throw new RangeError(`ranks must be a whole number >= 1, got ${ranks}`);
  }
  return collectives[collective].bus.factor(ranks);
}

/**
 * Returns the lowest number of payload bytes that all ranks together must send to other ranks in one operation, whatever the
 * algorithm; 0 for a single rank.
 * @param dtype data type, which gives the number of elements; only the result for alltoallv depends on it
 * @param payloadBytes payload S, bytes: the larger one of send and receive buffer of a rank, as in the "size" column of
 * nccl-tests
 */
export function minBytesMoved(
  collective: CollectiveName,
  dtype: DtypeName,
  payloadBytes: number,
  ranks: number,
): number {
  const { minMoved, parts } = collectives[collective];
  const count = payloadBytes / dtypeBytes[dtype] / Math.max(1, parts(ranks));
  return Math.round(minMoved(ranks, count) * payloadBytes);
}

/**
 * Returns the payload bytes that all ranks together must send to other ranks in one operation with a given algorithm. S is the
 * axis `bytes`, n the number of ranks.
 *
 * - `ring` (Patarasuk & Yuan 2009; NCCL's ring): allreduce 2(n-1)S, allgather and reducescatter (n-1)S,
 *   broadcast and reduce (n-1)S, because S passes over n-1 links.
 * - `Ring`, `Tree` and `PAT` of NCCL, and "" for sends and receives: the minimum over all algorithms. Reduction in
 *   switches (NVLS, CollNet) sends less, so the result is null.
 * - `direct` (each rank sends its data to every rank that needs them, and each rank reduces for itself): allreduce n(n-1)S,
 *   allgather n(n-1)S/n, reducescatter n(n-1)S/n, broadcast and reduce (n-1)S. `one-shot` is its allreduce.
 * - `two-shot` (each rank reduces one part and sends the result to all), `loads` (the same by loads from all ranks and stores
 *   to all), `staged` (the same in pieces), `halving-doubling` (Rabenseifner 2004): allreduce 2(n-1)S, reducescatter (n-1)S.
 *   `packets` (data with flags, sent directly): each rank gets the data that it needs once.
 * - `recursive-doubling` (Thakur, Rabenseifner, Gropp 2005): allreduce p log2(p) S + 2(n-p)S, where p = 2^floor(log2 n) ranks
 *   exchange whole vectors. Each other rank sends its vector to a neighbour and receives the result. Allgather (n-1)S.
 * - `bruck` (Bruck et al. 1997): allgather (n-1)S. Alltoall S/n for each of n ranks and each 1 bit of the distances 1 to n-1,
 *   because parts pass through intermediate ranks. `binomial`: broadcast and reduce (n-1)S.
 * - `double-binary-tree` (Sanders, Speck, Träff 2009): allreduce 2(n-1)S, broadcast and reduce (n-1)S, half along each tree.
 * @returns null if the bytes of the algorithm are not known
 */
export function payloadBytesMoved(
  collective: CollectiveName,
  algorithm: string,
  payloadBytes: number,
  ranks: number,
  dtype: DtypeName,
): number | null {
  const least = minBytesMoved(collective, dtype, payloadBytes, ranks);
  switch (algorithm) {
    case 'ring':
    case 'Ring':
    case 'Tree':
    case 'PAT':
    case 'two-shot':
    case 'loads':
    case 'staged':
    case 'halving-doubling':
    case 'packets':
      return least;
    case 'direct':
    case 'one-shot':
      return collective === 'allreduce' ? ranks * (ranks - 1) * payloadBytes : least;
    case 'binomial':
    case 'double-binary-tree':
      return least;
    case 'bruck':
      return collective === 'alltoall' ? detourVectors(ranks) * payloadBytes : least;
    case 'recursive-doubling':
      return collective === 'allreduce' ? doublingVectors(ranks) * payloadBytes : least;
    case '':
      return collectives[collective].isPlain ? least : null;
    default:
      return null;
  }
}

/** Returns the number of payloads S that all ranks together send in an allreduce by recursive doubling: bytes sent divided by S. */
function doublingVectors(ranks: number): number {
  const exchanges = Math.floor(Math.log2(ranks));
  return 2 ** exchanges * exchanges + 2 * (ranks - 2 ** exchanges);
}

/**
 * Returns the number of payloads S that all ranks together send in Bruck's alltoall. Each part moves by powers of two, so it needs
 * one message for every 1 bit of the distance between its sender and its receiver.
 */
function detourVectors(ranks: number): number {
  let exchanged = 0;
  for (let distance = 1; distance < ranks; distance++)
    for (let bits = distance; bits > 0; bits >>= 1) exchanged += bits & 1;
  return exchanged;
}

/**
 * Returns the payload S of a collective in bytes: the larger one of a rank's send and receive buffer (for hypercube without the
 * rank's own part).
 * @param count count argument of the NCCL call: elements of the whole vector, or of one rank's part
 */
export const payloadOf = (
  collective: CollectiveName,
  dtype: DtypeName,
  count: number,
  ranks: number,
): number => count * dtypeBytes[dtype] * collectives[collective].parts(ranks);

/**
 * Returns the total size in bytes of all send and receive buffers that the ranks of one launch allocate together for one point.
 * In place, a rank has one buffer, as large as the larger of the two.
 * @param payloadBytes payload S of the collective, bytes; see payloadOf()
 */
export function bufferBytes(
  collective: CollectiveName,
  payloadBytes: number,
  ranks: number,
  inPlace: boolean,
): number {
  const { buffers } = collectives[collective];
  const [send, receive] = [buffers.send(ranks), buffers.receive(ranks)];
  return Math.round(ranks * payloadBytes * (inPlace ? Math.max(send, receive) : send + receive));
}
