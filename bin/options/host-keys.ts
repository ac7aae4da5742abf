import type { OptionKey } from './flag.ts';

/** Options that select hosts and the connection to them. Every command that uses other hosts has them, in the order of help. */
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
