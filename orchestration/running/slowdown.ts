import { readPlainTextSync } from '../../results/files/plain.ts';

/** A machine that is busier lets no estimate hold. */
const mostSlowdown = 8;

/**
 * How many times as long this process takes as it computes, because other processes have its core: 1 = it never waits for one.
 * From the time that the kernel counts as waiting (CONFIG_SCHED_INFO); 1 where it counts none.
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
