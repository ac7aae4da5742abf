import type { BindingPolicy } from '../hosts/binding.ts';
import type { GroupRule } from '../hosts/groups.ts';
import type { HostSpec } from '../hosts/host.ts';

/** Ways to start agents. */
export type LauncherChoice =
  | { kind: 'local' }
  | { kind: 'ssh' }
  | { kind: 'slurm' }
  | { kind: 'command'; template: string };

/** Options for hosts: which ones, how agents are started there, and which rank runs where. */
export interface HostOptions {
  /** Rule for groups of ranks; null = all ranks are one group. */
  groups: GroupRule | null;
  /** Hosts on the command line; null = not given: the hostfile, a Slurm allocation, or this machine alone. */
  hosts: HostSpec[] | null;
  hostfile: string | null;
  ranksPerNode: number | null;
  /** Placement of ranks: `block`, `node`, or the path of a rank map file. */
  map: string;
  /** Binding of ranks; null = the agent decides: a core for each rank of the cpu engine if there are enough. */
  bind: BindingPolicy | null;
  /** Way to start agents; null = ssh with hosts, else local (`launcherOf` decides). */
  launcher: LauncherChoice | null;
  rsh: 'ssh2' | 'openssh';
  sshConfig: string | null;
  knownHosts: string[] | null;
  identity: string[];
  /** Folder of the agent on the hosts: absolute, or relative to the home there; null = the user's cache. */
  remoteDir: string | null;
  /** Path of the agent; null = the agent of this build. */
  agent: string | null;
}
