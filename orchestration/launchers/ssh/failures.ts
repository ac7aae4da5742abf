import { StartError } from '../launcher.ts';
import { hostLabel } from './names.ts';
import type { SshHostSettings } from './settings.ts';

/**
 * Returns the error for a host to which no connection could be made, or with which the SSH handshake failed. An unknown error
 * gives its own text.
 * @param error reason: from the system, from ssh2, or a timeout
 * @param timeoutMs limit for connecting, named in the message
 */
export function unreachableHost(host: SshHostSettings, error: Error, timeoutMs: number): StartError {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const named = host.hostname === host.name ? host.name : `${host.name} (${host.hostname})`;
  const port = `port ${host.port}`;
  const found: Record<string, [message: string, ...details: string[]]> = {
    ENOTFOUND: [
      `${named} cannot be resolved`,
      'Check the spelling, or define the host in ~/.ssh/config (Host, HostName) or /etc/hosts.',
    ],
    EAI_AGAIN: [`${named} cannot be resolved now: the name server does not answer`],
    ECONNREFUSED: [
      `${named} refuses connections on ${port}`,
      'The machine is up, but no ssh server listens there. Another port is named as HOST:PORT.',
    ],
    EHOSTUNREACH: [`no route to ${named}: no machine answers at that address`],
    ENETUNREACH: [`no route to ${named}: this machine has no route to that network`],
    ETIMEDOUT: timedOut(named, port, timeoutMs),
    CONNECT_TIMEOUT: timedOut(named, port, timeoutMs),
    HANDSHAKE_TIMEOUT: [
      `${named} took the connection on ${port} but did not finish the ssh handshake within ${timeoutMs / 1000} s`,
      'It is overloaded or stopped, or the listener is not an ssh server.',
    ],
  };
  const [message, ...details] = found[code] ?? [`${named} cannot be reached on ${port}: ${error.message}`];
  return new StartError(message, [...details, ...host.notes]);
}

function timedOut(named: string, port: string, timeoutMs: number): [string, string] {
  return [
    `${named} did not answer on ${port} within ${timeoutMs / 1000} s`,
    'It is down, or a firewall drops the packets.',
  ];
}

/**
 * Returns the error for a jump host that is connected itself, but cannot reach the next host.
 * @param host host that the jump host cannot reach
 * @param hop the jump host
 */
export function jumpHostError(host: SshHostSettings, hop: SshHostSettings, error: Error): StartError {
  const reason = error.message.replace(/^\(SSH\) Channel open failure: /, '');
  return new StartError(
    `jump host ${hop.name} cannot reach ${host.hostname} on port ${host.port}: ${reason}`,
    [
      `The jump host is ${hostLabel(hop.user, hop.hostname, hop.port)}; it must allow TCP forwarding (AllowTcpForwarding).`,
      ...host.notes,
    ],
  );
}

/** Returns the error for a server that closed every connection before the SSH handshake. @param tries number of attempts */
export function busyServerError(host: SshHostSettings, tries: number): StartError {
  return new StartError(
    `${host.name} closed the connection before the ssh handshake, ${tries} times in a row`,
    [
      'Its ssh server accepts no more logins at the same time (MaxStartups in its sshd_config), or blocks this machine.',
    ],
  );
}
