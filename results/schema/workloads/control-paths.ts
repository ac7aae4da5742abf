/**
 * Ways to start a transfer; each engine lists the ones that it has. `host`: the kernel ends, the host posts the transfer and
 * launches the next kernel. `stream`: stream-ordered memory operations ring the doorbell of entries that the host posted earlier.
 * `proxy`: a CPU thread that the kernel wakes. `triggered`: entries are registered with a counter, and the thread that reaches
 * its threshold rings. `kernel`: the kernel writes the entries, rings the doorbell and polls for completion.
 */
export const controlPaths = ['host', 'stream', 'proxy', 'triggered', 'kernel'] as const;

/**
 * Control paths of workloads that compute and exchange. `rank`: no device, one CPU thread does both; measured only if the user
 * names it.
 */
export const workPaths = [...controlPaths, 'rank'] as const;
