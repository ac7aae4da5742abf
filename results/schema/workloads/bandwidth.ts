function mustBePositive(elapsedNs: number): void {
  if (!(elapsedNs > 0 && Number.isFinite(elapsedNs))) {
    throw new RangeError(`elapsedNs must be positive and finite, got ${elapsedNs}`);
  }
}

/**
 * Algorithm bandwidth in GB/s (1 GB = 1e9 bytes): payload divided by time. It shows how long a user waits for S bytes. Source:
 * nccl-tests doc/PERFORMANCE.md, "Algorithm bandwidth".
 * @param payloadBytes S, >= 0 (the axis `bytes`); 0 gives 0
 * @param elapsedNs t of one operation, already reduced over ranks, > 0
 * @throws {RangeError} elapsedNs not positive and finite, because a stopped clock must not give infinite bandwidth; payloadBytes
 * negative or not finite
 */
export function algGBps(payloadBytes: number, elapsedNs: number): number {
  mustBePositive(elapsedNs);
  if (!(payloadBytes >= 0 && Number.isFinite(payloadBytes))) {
    throw new RangeError(`payloadBytes must be finite and not negative, got ${payloadBytes}`);
  }
  return payloadBytes / elapsedNs; // bytes per ns are GB per s
}

/**
 * Bus bandwidth in GB/s: algorithm bandwidth times the smallest share of S that each link must carry. Runs with different rank
 * counts can then be compared with the same hardware peak. Source: nccl-tests doc/PERFORMANCE.md, "Bus bandwidth".
 * @param busFactor no unit, >= 0 (collective/formulas.ts); 0 for a single rank
 * @throws {RangeError} as algGBps, and for a negative or not finite busFactor
 */
export function busGBps(payloadBytes: number, elapsedNs: number, busFactor: number): number {
  if (!(busFactor >= 0 && Number.isFinite(busFactor))) {
    throw new RangeError(`busFactor must be finite and not negative, got ${busFactor}`);
  }
  return algGBps(payloadBytes, elapsedNs) * busFactor;
}
