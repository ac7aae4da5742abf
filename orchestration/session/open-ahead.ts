// Starts later launches together with the launch that is needed now. Frameworks take many seconds to start, mostly on
// one core per rank, and no operation is timed during this time.
import { numbersOf } from '../../results/fold.ts';
import type { BlockRequest, RunPlan } from '../../results/schema/index.ts';
import { planningOf } from '../../suites/engines/index.ts';

/** The CPU cores of a host of the plan. */
interface HostCores {
  host: string;
  /** One CPU of each core that the agent may use (the lowest), in the kernel's list format ("0-3,8"); "" = unknown. */
  oneCpuPerCore: string;
}

/** Number of cores that a rank keeps busy while its framework starts: the interpreter and its helper threads. */
const coresPerRank = 2;

/**
 * Returns the number of launches whose ranks may be started at the same time: 1 if the engine starts quickly, or a host has too
 * few cores for several starts, or its cores are unknown. The host with the fewest cores per rank decides.
 * @param hostCores the CPU cores of each host
 */
export function startsAtOnce(plan: RunPlan, hostCores: readonly HostCores[]): number {
  if (planningOf(plan).pace.startsTogether !== true) return 1;
  const each = plan.hosts.map(({ name, ranks }) => {
    const cores = numbersOf(hostCores.find(({ host }) => host === name)?.oneCpuPerCore ?? '').length;
    return Math.floor(cores / (coresPerRank * Math.max(1, ranks.length)));
  });
  return Math.max(1, Math.min(...each));
}

export const launchKey = ({ transport, launch }: BlockRequest): string => `${transport} ${launch}`;

/**
 * Selects the launches to open now: the launch of the block `due`, and launches that are needed next, so that their
 * long starts overlap.
 * @param due block that is measured next
 * @param expected blocks that are measured later, in their order
 * @param isOpen returns true if the launch with this key (launchKey(): transport and number of the launch) is already open
 * @param atOnce maximum number of launches to open together, including the launch of `due`
 * @returns the first block of each launch to open, `due` first
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
    // A launch that must end before the next one begins is not opened early.
    if (request.endsLaunch !== true && !isOpen(key) && !found.has(key)) found.set(key, request);
  }
  return [...found.values()];
}
