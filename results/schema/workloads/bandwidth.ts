function mustBePositive(elapsedNs: number): void {
  if (!(elapsedNs > 0 && Number.isFinite(elapsedNs))) {
    throw new RangeError(`elapsedNs must be positive and finite, got ${elapsedNs}`);
  }
}

/**
 * Returns algorithm bandwidth in GB/s (1 GB = 1e9 bytes): payload divided by time. It shows how long a user waits for S bytes.
 * Source: nccl-tests doc/PERFORMANCE.md, "Algorithm bandwidth".
 * @param payloadBytes payload S in bytes, >= 0 (the axis `bytes`); 0 gives 0
 * @param elapsedNs time of one operation in ns, one value for all ranks, > 0
 * @throws {RangeError} if elapsedNs is not positive and finite, because a stopped clock must not give infinite bandwidth; if
 * payloadBytes is negative or not finite
 */
export function algGBps(payloadBytes: number, elapsedNs: number): number {
  mustBePositive(elapsedNs);
  if (!(payloadBytes >= 0 && Number.isFinite(payloadBytes))) {
    throw new RangeError(`payloadBytes must be finite and not negative, got ${payloadBytes}`);
  }
  return payloadBytes / elapsedNs; // bytes per ns are GB per s
}

/**
 * Returns bus bandwidth in GB/s: algorithm bandwidth times the smallest share of the payload S that each link must carry. Runs
 * with different numbers of ranks can then be compared with the same peak rate of the hardware. Source: nccl-tests
 * doc/PERFORMANCE.md, "Bus bandwidth".
 * @param payloadBytes payload S in bytes, as for algGBps()
 * @param elapsedNs time of one operation in ns, > 0
 * @param busFactor the share, without unit, >= 0 (collective/formulas.ts); 0 for a single rank
 * @throws {RangeError} if algGBps() throws, or if busFactor is negative or not finite
 */
export function busGBps(payloadBytes: number, elapsedNs: number, busFactor: number): number {
  if (!(busFactor >= 0 && Number.isFinite(busFactor))) {
    throw new RangeError(`busFactor must be finite and not negative, got ${busFactor}`);
  }
  return algGBps(payloadBytes, elapsedNs) * busFactor;
}
