import { readPlainTextSync } from '../../results/files/plain.ts';

/** Upper limit of the factor that slowdown() returns. On a busier machine an estimate would be meaningless. */
const maxSlowdown = 8;

/**
 * Returns the factor by which a busy machine slows this process down, 1 to `maxSlowdown`: its running time plus the time that it
 * waited for a core, divided by its running time. 1 = it never waits, or the kernel does not count the waiting time
 * (CONFIG_SCHED_INFO). Never throws.
 * @param file file with both times in ns
 */
export function slowdown(file = '/proc/self/schedstat'): number {
  let text: string;
  try {
    text = readPlainTextSync(file, 4096);
  } catch {
    return 1;
  }
  const [ranNs = 0, waitedNs = 0] = text.split(' ').map(Number);
  return ranNs > 0 && waitedNs >= 0 ? Math.min(maxSlowdown, 1 + waitedNs / ranNs) : 1;
}
