// Options of `collbench suite`: those of the table that change every entry, and its own.
import type { OptionKey } from './flag.ts';

/** Said on the command line they go before what the suite says. */
export const suiteKeys = [
  'launches',
  'transport',
  'interface',
  'hosts',
  'hostfile',
  'launcher',
  'rsh',
  'sshConfig',
  'knownHosts',
  'identity',
  'remoteDir',
  'agent',
  'timeout',
  'seed',
  'sampleInterval',
] as const satisfies readonly OptionKey[];
