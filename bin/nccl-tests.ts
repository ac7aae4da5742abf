/**
 * Flags of nccl-tests (2.19, src/common.cu) that have no meaning here, with what to use instead. The others are letters
 * in the option table.
 */
export const foreignFlags: Record<string, { means: string; instead: string }> = {
  t: { means: 'threads per process', instead: 'ranks are processes: use --ranks N' },
  g: { means: 'GPUs per thread', instead: 'the cpu engine needs no GPU: use --ranks N' },
  N: { means: 'cycles of the whole sweep', instead: 'use --launches N: each starts all ranks anew' },
  p: { means: 'parallel communicator start', instead: 'ranks always start side by side: leave it out' },
  z: { means: 'wait after each operation', instead: 'isolated samples always do: leave it out' },
  y: { means: 'the CUDA default stream', instead: 'the cpu engine has no streams: leave it out' },
  G: { means: 'CUDA graph launches', instead: 'the cpu engine has no graphs: leave it out' },
  C: {
    means: 'CPU time of the launch',
    instead: 'firstCallNs of each cell has the first call: leave it out',
  },
  S: { means: 'time stamps in the rows', instead: 'each sample has its own in samples/: leave it out' },
  I: {
    means: 'figures per iteration',
    instead: 'every sample is kept: see samples/ of the run, or export --csv',
  },
  K: { means: 'leading iterations to skip', instead: 'use --warmup N' },
  R: { means: 'buffer registration with the GPU', instead: 'buffers are always registered: leave it out' },
  x: { means: 'the CTA policy', instead: 'the cpu engine has no CTAs: leave it out' },
  D: { means: 'a device-side implementation', instead: 'use --algorithm direct or ring' },
  V: { means: 'CTAs of a device-side implementation', instead: 'the cpu engine has no CTAs: leave it out' },
  M: { means: 'a report of GPU memory', instead: 'the cpu engine uses host memory: leave it out' },
  u: { means: 'unaligned buffers', instead: 'buffers are page aligned: leave it out' },
};
