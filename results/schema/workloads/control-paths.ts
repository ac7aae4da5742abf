/**
 * Who starts a transfer; engines say which of them they have. `host`: the kernel ends, the host posts and launches the next
 * one. `stream`: stream-ordered memory operations ring what the host posted beforehand. `proxy`: a CPU thread that the
 * kernel wakes. `triggered`: registered beforehand with a counter, whoever reaches its threshold rings. `kernel`: the kernel
 * writes the entries, rings and polls.
 */
export const controlPaths = ['host', 'stream', 'proxy', 'triggered', 'kernel'] as const;

/** And where work is no put alone: `rank`: no device, one thread computes and exchanges. Measured only where it is named. */
export const workPaths = [...controlPaths, 'rank'] as const;
