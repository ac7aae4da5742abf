import { refuse } from '../../results/refusals/refusal.ts';
import { HostsError } from '../hosts/error.ts';
import { StartError } from '../launchers/launcher.ts';

/** Does the work; what the readers of hosts and the launchers find wrong comes as a refusal. @throws Refusal */
export function toRefusalIfThrown<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toRefusal(error);
  }
}

/** A refusal for what readers of hosts and launchers throw; everything else as it is. */
export function toRefusal(error: unknown): unknown {
  if (error instanceof HostsError)
    return refuse('hosts-as-written', { message: error.message, next: error.next });
  if (!(error instanceof StartError)) return error;
  const { message, details, next } = error;
  return refuse('launcher-cannot-start', { message, details, next });
}
