/** What only the nvshmem engine understands; its words for the native part stand in native/engines/nvshmem/settings.h. */
export interface NvshmemOptions {
  nvshmem: string | null;
  tune: boolean;
  /** Of several values each is a series of its own, with each of the others. 0 = tuned, as are the next two. */
  blocks: number[];
  threads: number[];
  packet: number[];
  signal: NvshmemSignal[];
}

export const signallings = ['fused', 'separate'] as const;
export type NvshmemSignal = (typeof signallings)[number];
