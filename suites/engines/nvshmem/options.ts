/** What only the nvshmem engine understands; its words for the native part stand in native/engines/nvshmem/settings.h. */
export interface NvshmemOptions {
  nvshmem: string | null;
  tune: boolean;
  /** 0 = tuned, as are the next two. */
  blocks: number;
  threads: number;
  packet: number;
  signal: 'fused' | 'separate';
}
