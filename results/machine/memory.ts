import { countOfList, type FileTree, meminfoBytes, wholeNumber } from './tree.ts';

export interface MemoryFacts {
  totalBytes: number | null;
  availableBytes: number | null;
  /** Lowest memory limit, in bytes, of the agent's control group and the groups above it; null = no limit found. */
  limitBytes: number | null;
  numaNodes: number | null;
  numaBalancing: boolean | null;
  swapTotalBytes: number | null;
  swapUsedBytes: number | null;
  /** Setting that says when the kernel uses transparent huge pages: always, madvise or never. Null = not known. */
  transparentHugepages: string | null;
  hugepages: { pageBytes: number; total: number; free: number }[];
  /** Size of /dev/shm in bytes; null = missing or not known. `shmFreeBytes`: how much of it is free. */
  shmBytes: number | null;
  shmFreeBytes: number | null;
}

export interface NumaNode {
  node: number;
  /** CPUs of the NUMA node as a kernel list: "0-47". Null if it has no CPUs, or if they are not known. */
  cpus: string | null;
}

/** Returns the NUMA nodes that the kernel shows, by ascending number; empty if the kernel shows none. */
export function numaOf(tree: FileTree): NumaNode[] {
  const nodes = '/sys/devices/system/node';
  return tree.names(nodes).flatMap((name) => {
    const node = wholeNumber(/^node(\d+)$/.exec(name)?.[1]);
    return node === null ? [] : [{ node, cpus: tree.text(`${nodes}/${name}/cpulist`) || null }];
  });
}

export interface ProcessLimits {
  /** Soft limit of locked memory (RLIMIT_MEMLOCK) of the agent process in bytes; null = not known. */
  lockedBytes: number | 'unlimited' | null;
  openFiles: number | 'unlimited' | null;
  /** True if the agent has the capability IPC_LOCK, which lifts the limit of locked memory; null = not known. */
  canLockAll: boolean | null;
}

/**
 * Lowest number of bytes that counts as "no limit": version 1 of control groups shows a number near 2^63 for it, version 2 shows
 * "max".
 */
const noLimitBytes = 2 ** 62;

function limitOf(tree: FileTree): number | null {
  const limits = tree
    .below('/sys/fs/cgroup')
    .filter(([path]) => path.endsWith('/memory.max') || path.endsWith('/memory.limit_in_bytes'))
    .map(([, text]) => wholeNumber(text))
    .filter((bytes): bytes is number => bytes !== null && bytes > 0 && bytes < noLimitBytes);
  return limits.length === 0 ? null : Math.min(...limits);
}

export function memoryOf(
  tree: FileTree,
  shm: { bytes: number | null; freeBytes: number | null },
): MemoryFacts {
  const info = tree.text('/proc/meminfo');
  const swapTotalBytes = meminfoBytes(info, 'SwapTotal');
  const swapFreeBytes = meminfoBytes(info, 'SwapFree');
  const used = swapTotalBytes === null || swapFreeBytes === null ? null : swapTotalBytes - swapFreeBytes;
  const balancing = tree.number('/proc/sys/kernel/numa_balancing');
  const pools = '/sys/kernel/mm/hugepages';
  return {
    totalBytes: meminfoBytes(info, 'MemTotal'),
    availableBytes: meminfoBytes(info, 'MemAvailable'),
    limitBytes: limitOf(tree),
    numaNodes: countOfList(tree.text('/sys/devices/system/node/online')),
    numaBalancing: balancing === null ? null : balancing > 0,
    swapTotalBytes,
    swapUsedBytes: used !== null && used >= 0 ? used : null,
    transparentHugepages:
      /\[(\w+)\]/.exec(tree.text('/sys/kernel/mm/transparent_hugepage/enabled') ?? '')?.[1] ?? null,
    hugepages: tree.names(pools).flatMap((name) => {
      const kib = wholeNumber(/^hugepages-(\d+)kB$/.exec(name)?.[1]);
      const total = tree.number(`${pools}/${name}/nr_hugepages`);
      if (kib === null || total === null) return [];
      return [{ pageBytes: kib * 1024, total, free: tree.number(`${pools}/${name}/free_hugepages`) ?? 0 }];
    }),
    shmBytes: shm.bytes,
    shmFreeBytes: shm.freeBytes,
  };
}

/** True if the agent is in a user namespace other than the first one; capabilities lift no limits there: user_namespaces(7). */
const isInUserNamespace = (tree: FileTree): boolean =>
  /^\s*0\s+0\s+4294967295$/.test(tree.text('/proc/self/uid_map') ?? '0 0 4294967295') === false;

/** Bit number of CAP_IPC_LOCK: capabilities(7), linux/capability.h. */
const ipcLockBit = 14n;

/**
 * Returns the limits of the agent process for locked memory and open files, and whether it may lock any amount. The limits are the
 * soft ones, which are in force; hard limits only say how far they may be raised.
 */
export function limitsOf(tree: FileTree): ProcessLimits {
  const table = tree.text('/proc/self/limits') ?? '';
  const soft = (name: string): number | 'unlimited' | null => {
    const word = new RegExp(`^${name} +(\\S+)`, 'm').exec(table)?.[1];
    return word === 'unlimited' ? word : wholeNumber(word);
  };
  const effective = /^CapEff:\s+([0-9a-f]{16})$/m.exec(tree.text('/proc/self/status') ?? '')?.[1];
  return {
    lockedBytes: soft('Max locked memory'),
    openFiles: soft('Max open files'),
    canLockAll:
      effective === undefined
        ? null
        : ((BigInt(`0x${effective}`) >> ipcLockBit) & 1n) === 1n && !isInUserNamespace(tree),
  };
}
