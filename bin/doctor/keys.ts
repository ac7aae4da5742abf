import type { OptionKey } from '../options/index.ts';

/** Options of a collective that say something to the doctor, too, with their meaning there. */
export const doctorKeys = [
  'transport',
  'interface',
  'sisciLibrary',
  'nccl',
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
