/**
 * Flags of nccl-tests (2.19, src/common.cu) that have no meaning here, with what to use instead. The others are letters
 * in the option table.
 */
export const foreignFlags: Record<string, { means: string; instead: string }> = {
  t: { means: 'threads per process', instead: 'ranks are processes: use --ranks N' },
  g: {
    means: 'GPUs per thread',
    instead: 'ranks are processes, one for each GPU: use --gpus LIST or --ranks N',
  },
  N: { means: 'cycles of the whole sweep', instead: 'use --launches N: each starts all ranks anew' },
  p: { means: 'parallel communicator start', instead: 'ranks always start in parallel: leave it out' },
  z: { means: 'wait after each operation', instead: 'isolated samples always do: leave it out' },
  y: { means: 'the CUDA default stream', instead: 'each rank has a stream of its own: leave it out' },
  C: {
    means: 'CPU time of the launch',
    instead:
      'launchCostNs of each configuration has it (engine nccl), firstCallNs the first call: leave it out',
  },
  S: { means: 'time stamps in the rows', instead: 'each sample has its own in samples/: leave it out' },
  I: {
    means: 'figures per iteration',
    instead: 'every sample is kept: see samples/ of the run, or export --csv',
  },
  K: { means: 'leading iterations to skip', instead: 'use --warmup N' },
  x: { means: 'the CTA policy', instead: 'set NCCL_CTA_POLICY instead' },
  D: { means: 'a device-side implementation', instead: 'use --device-api lsa or gin' },
  V: {
    means: 'CTAs of a device-side implementation',
    instead: 'set NCCL_MAX_CTAS instead',
  },
  M: { means: 'a report of GPU memory', instead: 'NCCL prints it with NCCL_DEBUG=INFO: leave it out' },
};
