import type { CollectiveName, DtypeName, PointPlan } from '../schema/index.ts';

/** Bytes of one element. */
export const dtypeBytes: Record<DtypeName, number> = {
  int8: 1,
  uint8: 1,
  int32: 4,
  uint32: 4,
  int64: 8,
  uint64: 8,
  float16: 2,
  bfloat16: 2,
  float32: 4,
  float64: 8,
};

/**
 * Payload bytes that one operation must send between ranks, summed over all ranks, per algorithm. S is
 * PointPlan.payloadBytes, n the ranks.
 *
 * - `ring` (Patarasuk & Yuan 2009; NCCL's ring): allreduce 2(n-1)S, allgather and reducescatter (n-1)S,
 *   broadcast and reduce (n-1)S, as S passes over n-1 links.
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
  const others = ranks - 1;
  switch (algorithm) {
    case 'ring':
      return collective === 'allreduce' ? 2 * others * payloadBytes : others * payloadBytes;
    case 'direct':
      return collective === 'allreduce' ? ranks * others * payloadBytes : others * payloadBytes;
    default:
      return null;
  }
}

/** S of a point from its count argument: bytes of the vector, times ranks where `count` is one rank's part. */
export function payloadOf(point: Pick<PointPlan, 'collective' | 'dtype' | 'count'>, ranks: number): number {
  const parts = point.collective === 'allgather' || point.collective === 'reducescatter' ? ranks : 1;
  return point.count * dtypeBytes[point.dtype] * parts;
}
