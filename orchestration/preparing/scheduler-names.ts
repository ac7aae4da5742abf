import { isContainerKind, machinesOfContainers } from '../launchers/containers.ts';
import { toRefusal } from './host-errors.ts';
import type { HostOptions } from './host-options.ts';
import { launcherOf } from './host-rules.ts';

/**
 * A function that returns the scheduler's name of a host: of a container the machine on which it is, of this machine the name
 * that slurmd gave to its health check. Other hosts have the name of the scheduler.
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
