// Collects the load of the machines while a configuration was measured that may be a cause of lost time.
import type { HostLoad, OkCell } from '../schema/index.ts';

/** Load while a configuration was measured; each value is that of the host on which it is highest. */
export interface RecordedLoad {
  /** Number of CPU cores that other processes used, a lower bound; null = not known. */
  competingCores: number | null;
  /** Share of time for which a CPU quota kept ranks from running; null = there is no quota, or it is not known. */
  throttledShare: number | null;
  /** TCP segments that were sent again per operation; null = not known. */
  retransmitsPerOperation: number | null;
}

/** Returns the highest of the values that are known; null if none is known. */
function highest(values: readonly (number | null | undefined)[]): number | null {
  const known = values.flatMap((value) => value ?? []);
  return known.length === 0 ? null : Math.max(...known);
}

export function recordedLoadOf({ load }: OkCell): RecordedLoad {
  const hosts: readonly HostLoad[] = load?.hosts ?? [];
  return {
    competingCores: highest(hosts.map((host) => host.competingCores)),
    throttledShare: highest(hosts.map((host) => host.throttledShare)),
    retransmitsPerOperation: highest(hosts.map((host) => host.retransmitsPerOperation)),
  };
}

/** Returns for each kind of load the higher value of `a` and `b`: the known one if the other is null, null if neither is known. */
export const highestLoad = (a: RecordedLoad, b: RecordedLoad): RecordedLoad => ({
  competingCores: highest([a.competingCores, b.competingCores]),
  throttledShare: highest([a.throttledShare, b.throttledShare]),
  retransmitsPerOperation: highest([a.retransmitsPerOperation, b.retransmitsPerOperation]),
});
