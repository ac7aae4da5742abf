import { type DtypeName, dtypeBytes } from '../../names.ts';
import { type CollectiveName, collectives } from './table.ts';

/** Share of the payload S that the busiest rank's link must carry at best. @throws {RangeError} ranks not a whole number >= 1 */
export function busFactor(collective: CollectiveName, ranks: number): number {
  if (!(Number.isInteger(ranks) && ranks >= 1)) {
    throw new RangeError(`ranks must be a whole number >= 1, got ${ranks}`);
  }
  return collectives[collective].bus.factor(ranks);
}

/**
 * Payload bytes that one operation must send between ranks at least, summed over all ranks, whatever the algorithm.
 * @param payloadBytes S
 */
export function minBytesMoved(
  collective: CollectiveName,
  dtype: DtypeName,
  payloadBytes: number,
  ranks: number,
): number {
  const { leastMoved, parts } = collectives[collective];
  const count = payloadBytes / dtypeBytes[dtype] / Math.max(1, parts(ranks));
  return Math.round(leastMoved(ranks, count) * payloadBytes);
}

/**
 * Payload bytes that one operation must send between ranks, summed over all ranks, per algorithm. S is
 * the axis `bytes`, n the ranks.
 *
 * - `ring` (Patarasuk & Yuan 2009; NCCL's ring): allreduce 2(n-1)S, allgather and reducescatter (n-1)S,
 *   broadcast and reduce (n-1)S, as S passes over n-1 links.
 * - `Ring` and the other names of NCCL's algorithms, and none for point to point: what must be sent at least, whatever
 *   the algorithm adds. In-switch reduction (NVLS, CollNet) sends less, so nothing is expected of it.
 * - `direct` (each rank sends its data to those that need it, everybody reduces for himself): allreduce n(n-1)S,
 *   allgather n(n-1)S/n, reducescatter n(n-1)S/n, broadcast and reduce (n-1)S; `one-shot` is its allreduce.
 * - `two-shot` (each reduces one part and gives it to all), `loads` (the same by loads from all and stores to all), `staged` (in
 *   pieces), `halving-doubling` (Rabenseifner 2004): allreduce 2(n-1)S, reducescatter (n-1)S. `packets` (data with flags, each what the other needs): as direct, each what is needed once.
 * - `recursive-doubling` (Thakur, Rabenseifner, Gropp 2005): allreduce p log2(p) S + 2(n-p)S, as p = 2^floor(log2 n) ranks
 *   exchange whole vectors and the others give theirs to a neighbour and get the result; allgather (n-1)S.
 * - `bruck` (Bruck et al. 1997): allgather (n-1)S; alltoall S/n for each of n ranks and each 1 among the bits of 1 to n-1, as a part
 *   goes by way of others. `binomial`: broadcast and reduce (n-1)S.
 * - `double-binary-tree` (Sanders, Speck, Träff 2009): allreduce 2(n-1)S, broadcast and reduce (n-1)S, half along each tree.
 * @returns null for an algorithm that is not known here: nothing can be expected of it
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

/** Vectors that all ranks together send. */
function doublingVectors(ranks: number): number {
  const exchanges = Math.floor(Math.log2(ranks));
  return 2 ** exchanges * exchanges + 2 * (ranks - 2 ** exchanges);
}

/** Payloads that all ranks together send where a part goes the powers of two that its distance is made of. */
function detourVectors(ranks: number): number {
  let exchanged = 0;
  for (let distance = 1; distance < ranks; distance++)
    for (let bits = distance; bits > 0; bits >>= 1) exchanged += bits & 1;
  return exchanged;
}

/** S from NCCL's count argument: bytes of the vector, or of all its parts. */
export const payloadOf = (
  collective: CollectiveName,
  dtype: DtypeName,
  count: number,
  ranks: number,
): number => count * dtypeBytes[dtype] * collectives[collective].parts(ranks);

/**
 * Bytes of all buffers of all ranks of one launch at one point.
 * @param payloadBytes S
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
