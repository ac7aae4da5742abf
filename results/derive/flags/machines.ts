// Finds hosts of a run that are one machine, or share network interfaces, under several names.
import { addTo } from '../../add-to.ts';
import type { RunPlan } from '../../schema/index.ts';

type PlanHosts = RunPlan['hosts'];

/**
 * Sorts the hosts into sets that share network interfaces; usually each host is alone in its set. The key is the name of the
 * first host with these interfaces in the whole run, which need not be in `hosts`.
 */
export function byNetwork(hosts: PlanHosts): Map<string, PlanHosts> {
  const groups = new Map<string, PlanHosts>();
  for (const host of hosts) {
    const network = host.networkOf ?? host.name;
    addTo(groups, network, host);
  }
  return groups;
}

/** Returns the ranks that run on the same physical machine as `host`, which may have several host names (containers). */
export function ranksOfMachine(hosts: PlanHosts, host: string): number[] {
  const machine = hosts.find(({ name }) => name === host)?.machineOf ?? host;
  return hosts.filter(({ name, machineOf = name }) => machineOf === machine).flatMap(({ ranks }) => ranks);
}
