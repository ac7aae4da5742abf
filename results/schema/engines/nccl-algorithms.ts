/** Algorithms of the nvshmem engine with which NCCL itself runs the operation. */
export const ncclAlgorithms = ['nccl', 'nccl-ring', 'nccl-symmetric'] as const;

/** True if NCCL runs the operations of a series whose setting `algo` this is. */
export const isRunByNccl = (algo: string | undefined): boolean =>
  ncclAlgorithms.some((name) => name === algo);
