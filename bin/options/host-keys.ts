import type { OptionKey } from './flag.ts';

/**
 * Options that select hosts and the way to connect to them, in the order of help. Every command that can use remote hosts has
 * all of them.
 */
export const hostKeys = [
  'hosts',
  'hostfile',
  'launcher',
  'rsh',
  'sshConfig',
  'knownHosts',
  'identity',
  'remoteDir',
  'agent',
] as const satisfies readonly OptionKey[];
