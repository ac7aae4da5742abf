import { ValueError } from '../../suites/options/value-error.ts';
import { HostsError } from '../hosts/error.ts';
import { StartError } from '../launchers/launcher.ts';

/** Runs `read`, and turns errors of host parsers and launchers into errors about the value of an option. @throws ValueError */
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
