import type { OptionKey } from './flag.ts';

/** Which machines, and how they are reached: what every command that goes to other hosts takes, in the order of help. */
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
