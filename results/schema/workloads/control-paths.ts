/**
 * Control paths: ways to start a transfer; each engine lists those that it has. `host`: the kernel ends, the host posts the
 * transfer and launches the next kernel. `stream`: memory operations in the stream ring the doorbell of queue entries that the host
 * posted earlier. `proxy`: the kernel wakes a CPU thread, which posts the transfer. `triggered`: queue entries are registered with
 * a counter, and the thread with which the counter reaches its threshold rings the doorbell. `kernel`: the kernel writes the queue
 * entries, rings the doorbell and polls for completion.
 */
export const controlPaths = ['host', 'stream', 'proxy', 'triggered', 'kernel'] as const;

/**
 * Control paths of workloads that compute and exchange data. `rank`: there is no device, one CPU thread does both; it is measured
 * only if the user names it.
 */
export const workPaths = [...controlPaths, 'rank'] as const;
