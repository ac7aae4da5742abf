import { refuse } from '../../results/refusals/refusal.ts';
import { ValueError } from '../../suites/options/values.ts';
import { HostsError } from '../hosts/error.ts';
import { StartError } from '../launchers/launcher.ts';

/**
 * Calls `work` and returns its result. `work` must not be asynchronous, as rejections are not seen.
 * @throws Refusal in place of a HostsError or StartError; any other error unchanged
 */
export function toRefusalIfThrown<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toRefusal(error);
  }
}

/**
 * Turns a HostsError or a StartError (of a launcher) into a refusal; returns any other error unchanged. The caller throws the
 * result.
 */
export function toRefusal(error: unknown): unknown {
  if (error instanceof HostsError)
    return refuse('hosts-as-written', { message: error.message, next: error.next });
  if (!(error instanceof StartError)) return error;
  const { message, details, next } = error;
  return refuse('launcher-cannot-start', { message, details, next });
}

/**
 * Calls `read` and returns its result. Errors of host parsers and launchers become errors about the value of an option.
 * @throws {ValueError} in place of a HostsError or StartError; any other error unchanged
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
