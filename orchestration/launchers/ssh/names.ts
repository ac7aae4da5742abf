import type { HostSpec } from '../../hosts/host.ts';
import { StartError } from '../launcher.ts';

/**
 * Characters that a shell would interpret and that no valid host, address or user contains. They are rejected, because the ssh
 * configuration may insert names into commands (`Match exec`, `ProxyCommand`).
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const meaningToShells = /[\u0000-\u0020\u007f'"`$;&|<>(){}*?!#~\\]/;

/**
 * Checks address and user of a host, and names the host in the error. A user may contain backslashes (DOMAIN\user).
 * @throws StartError if one of them is empty, begins with a dash or has characters that a shell interprets
 */
export function checkNames(host: Pick<HostSpec, 'name' | 'address' | 'user'>): void {
  check('host name', host.address, host.name, host.address.replace(/^\[(.*)\]$/, '$1'));
  if (host.user !== null) check('user', host.user, host.name, host.user.replaceAll('\\', ''));
}

function check(what: string, value: string, host: string, looked: string): void {
  const bad = meaningToShells.exec(looked);
  if (looked !== '' && !looked.startsWith('-') && bad === null) return;
  const why =
    looked === ''
      ? 'is empty'
      : bad === null
        ? 'begins with a dash'
        : `contains ${JSON.stringify(bad[0])}, which none can have`;
  throw new StartError(`${what} ${JSON.stringify(value)} of ${JSON.stringify(host)} ${why}`);
}

/**
 * Returns the text of a host for messages and commands: user@host, with the port if it is not 22, and an IPv6 address
 * in brackets.
 */
export function hostLabel(user: string, hostname: string, port: number): string {
  const bare = hostname.includes(':') ? `[${hostname}]` : hostname;
  return `${user}@${bare}${port === 22 ? '' : `:${port}`}`;
}
