import { isContainerKind, machinesOfContainers } from '../launchers/containers.ts';
import { toRefusal } from './host-errors.ts';
import type { HostOptions } from './host-options.ts';
import { launcherOf } from './host-rules.ts';

/**
 * Returns a function from the name of a host in the run to the scheduler's name of that host. For a container this is the machine
 * that runs it; for this machine it is SLURMD_NODENAME, if slurmd has set it. Other names, also unknown ones, stay the same.
 * @throws Refusal if containers cannot be listed
 */
export async function schedulerNames(options: HostOptions): Promise<(host: string) => string> {
  const { kind } = launcherOf(options);
  const { SLURMD_NODENAME: own } = process.env;
  if (kind === 'local') return (host) => own ?? host;
  if (!isContainerKind(kind)) return (host) => host;
  try {
    const machineOf = await machinesOfContainers(kind, options);
    return (host) => machineOf(host) ?? host;
  } catch (error) {
    throw toRefusal(error);
  }
}
