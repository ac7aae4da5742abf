// Launches that start together with the one that is due: frameworks take many seconds to start, most of it on one core for each
// rank, and nothing is timed meanwhile.

import { numbersOf } from '../../results/machine/cpu-list.ts';
import type { BlockRequest, RunPlan } from '../../results/schema/index.ts';
import { planningOf } from '../../suites/engines/index.ts';

/** What is known of the machine of a host of the plan. */
interface HostCores {
  host: string;
  /** The lowest CPU that the agent may use of each core, as the kernel lists them; absent = an older agent. */
  oneCpuPerCore?: string | undefined;
}

/** Cores that a rank keeps busy while its framework starts: the interpreter and what it waits for. */
const coresPerRank = 2;

/** How many launches may start at once: 1 where starts are short, or the cores of a host are few. */
export function startsAtOnce(plan: RunPlan, grounds: readonly HostCores[]): number {
  if (planningOf(plan).pace.startsTogether !== true) return 1;
  const each = plan.hosts.map(({ name, ranks }) => {
    const cores = numbersOf(grounds.find(({ host }) => host === name)?.oneCpuPerCore ?? '').length;
    return Math.floor(cores / (coresPerRank * Math.max(1, ranks.length)));
  });
  return Math.max(1, Math.min(...each));
}

export const launchKey = ({ transport, launch }: BlockRequest): string => `${transport} ${launch}`;

/**
 * @param expected blocks that are known to come, in their order
 * @param isOpen   by the key of a launch
 * @returns the first block of each launch that is to be opened now, `due` first
 */
export function blocksOfLaunch(
  due: BlockRequest,
  expected: readonly BlockRequest[],
  isOpen: (key: string) => boolean,
  atOnce: number,
): BlockRequest[] {
  const found = new Map([[launchKey(due), due]]);
  for (const request of expected) {
    if (found.size >= atOnce) break;
    const key = launchKey(request);
    // One that ends before the next begins cannot wait for its turn.
    if (request.endsLaunch !== true && !isOpen(key) && !found.has(key)) found.set(key, request);
  }
  return [...found.values()];
}
