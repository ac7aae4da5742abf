/** Options that only the nvshmem engine has; native/engines/nvshmem/settings.h has the names in the agent protocol. */
export interface NvshmemOptions {
  nvshmem: string | null;
  tune: boolean;
  /**
   * Numbers of GPU thread blocks to measure. Each value is a series of its own, combined with each value of the other lists. 0
   * = the tuned value; the same holds for `threads` and `packet`.
   */
  blocks: number[];
  threads: number[];
  packet: number[];
  signal: NvshmemSignal[];
}

export const signallings = ['fused', 'separate'] as const;
export type NvshmemSignal = (typeof signallings)[number];
