// Load of the machines while a configuration was measured, as far as it may be a cause of lost time.
import type { HostLoad, OkCell } from '../schema/index.ts';

/** Load of the most disturbed host. */
export interface RecordedLoad {
  /** Number of CPUs that other processes used, a lower bound; null = not known. */
  competingCores: number | null;
  /** Share of time for which a quota kept ranks from running; null = there is none, or it is not known. */
  throttledShare: number | null;
  /** TCP segments that were sent again per operation; null = not known. */
  retransmitsPerOperation: number | null;
}

/** The highest of these values; null if none is known. */
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

/** The higher value of each kind. */
export const highestLoad = (a: RecordedLoad, b: RecordedLoad): RecordedLoad => ({
  competingCores: highest([a.competingCores, b.competingCores]),
  throttledShare: highest([a.throttledShare, b.throttledShare]),
  retransmitsPerOperation: highest([a.retransmitsPerOperation, b.retransmitsPerOperation]),
});
