import { readPlainTextSync } from '../../results/files/plain.ts';

/** Largest slowdown that is used; estimates for busier machines are meaningless. */
const mostSlowdown = 8;

/**
 * Elapsed time divided by CPU time of this process, because other processes use its core; 1 = it never waits for a core. Source:
 * the kernel's waiting time (CONFIG_SCHED_INFO); 1 if the kernel does not count it.
 */
export function slowdown(file = '/proc/self/schedstat'): number {
  let text: string;
  try {
    text = readPlainTextSync(file, 4096);
  } catch {
    return 1;
  }
  const [ranNs = 0, waitedNs = 0] = text.split(' ').map(Number);
  return ranNs > 0 && waitedNs >= 0 ? Math.min(mostSlowdown, 1 + waitedNs / ranNs) : 1;
}
