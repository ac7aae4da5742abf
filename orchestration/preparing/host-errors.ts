import { refuse } from '../../results/refusals/refusal.ts';
import { ValueError } from '../../suites/options/values.ts';
import { HostsError } from '../hosts/error.ts';
import { StartError } from '../launchers/launcher.ts';

/** Runs `work`, and turns errors of host parsers and launchers into refusals. @throws Refusal, or any other error unchanged */
export function toRefusalIfThrown<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toRefusal(error);
  }
}

/** Turns an error of a host parser or launcher into a refusal; returns any other error unchanged. */
export function toRefusal(error: unknown): unknown {
  if (error instanceof HostsError)
    return refuse('hosts-as-written', { message: error.message, next: error.next });
  if (!(error instanceof StartError)) return error;
  const { message, details, next } = error;
  return refuse('launcher-cannot-start', { message, details, next });
}

/**
 * Runs `read`, and turns errors of host parsers and launchers into errors about the value of an option. @throws ValueError,
 * or any other error unchanged
 */
export function withValueErrors<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof HostsError) {
      throw new ValueError(error.next === null ? error.message : `${error.message}; ${error.next}`);
    }
    if (error instanceof StartError) throw new ValueError(error.message);
    throw error;
  }
}
