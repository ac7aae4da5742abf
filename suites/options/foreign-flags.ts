export interface ForeignFlag {
  /** Long name of the option in nccl-tests, without the leading `--`. */
  longName: string;
  means: string;
  instead: string;
}

/**
 * Options of nccl-tests (2.19, src/common.cu) that collbench does not have, and what to use instead. The key is the option's
 * letter. All other letters of nccl-tests are options of collbench.
 */
export const foreignFlags: Record<string, ForeignFlag> = {
  t: {
    longName: 'nthreads',
    means: 'threads per process',
    instead: 'ranks are processes: -g and -t become --ranks N, their product',
  },
  g: {
    longName: 'ngpus',
    means: 'GPUs per thread',
    instead: 'ranks are processes, one for each GPU: -g and -t become --ranks N, their product',
  },
  N: {
    longName: 'run_cycles',
    means: 'cycles of the whole sweep',
    instead: 'use --launches N: each starts all ranks anew',
  },
  p: {
    longName: 'parallel_init',
    means: 'parallel communicator start',
    instead: 'ranks always start in parallel: leave it out',
  },
  z: {
    longName: 'blocking',
    means: 'wait after each operation',
    instead: 'isolated samples always do: leave it out',
  },
  y: {
    longName: 'stream_null',
    means: 'the CUDA default stream',
    instead: 'each rank has a stream of its own: leave it out',
  },
  C: {
    longName: 'report_cputime',
    means: 'CPU time of the launch',
    instead:
      'figure enqueue of each configuration has it (engine nccl), firstCallNs the first call: leave it out',
  },
  S: {
    longName: 'report_timestamps',
    means: 'time stamps in the rows',
    instead: 'each sample has its own in samples/: leave it out',
  },
  I: {
    longName: 'per_iter_timing',
    means: 'figures per iteration',
    instead: 'every sample is kept: see samples/ of the run, or export --csv',
  },
  K: { longName: 'per_iter_skip', means: 'leading iterations to skip', instead: 'use --warmup N' },
  x: { longName: 'cta_policy', means: 'the CTA policy', instead: 'set NCCL_CTA_POLICY instead' },
  D: {
    longName: 'device_implementation',
    means: 'a device-side implementation',
    instead: 'use --device-api lsa or gin',
  },
  V: {
    longName: 'device_cta_count',
    means: 'CTAs of a device-side implementation',
    instead: 'set NCCL_MAX_CTAS instead',
  },
  M: {
    longName: 'memory',
    means: 'a report of GPU memory',
    instead: 'NCCL prints it with NCCL_DEBUG=INFO: leave it out',
  },
};

/** The option of nccl-tests with this letter or long name that collbench does not have; undefined if there is no such option. */
export const foreignFlagOf = (name: string): ForeignFlag | undefined =>
  Object.entries(foreignFlags).find(([letter, { longName }]) => name === letter || name === longName)?.[1];
