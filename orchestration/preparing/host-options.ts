import type { BindingPolicy } from '../hosts/binding.ts';
import type { GroupRule } from '../hosts/groups.ts';
import type { HostSpec } from '../hosts/host.ts';

/** Ways to start agents. `command` is any command that connects to a remote program. */
export type LauncherChoice =
  | { kind: 'local' }
  | { kind: 'ssh' }
  | { kind: 'slurm' }
  | { kind: 'command'; template: string };

/** Options for hosts: which hosts are used, how agents are started on them, and which rank runs on which host. */
export interface HostOptions {
  /** Rule for groups of ranks; null = all ranks are one group. */
  groups: GroupRule | null;
  /**
   * Hosts of --hosts; null = not given. The hosts then are those of the hostfile or of a Slurm allocation, or only this
   * machine.
   */
  hosts: HostSpec[] | null;
  hostfile: string | null;
  ranksPerNode: number | null;
  /**
   * Placement of ranks on hosts: `block` (fill one host after another), `node` (give ranks to the hosts in turn), or the path
   * of a rank map file.
   */
  map: string;
  /**
   * Binding of ranks to CPUs; null = the agent decides. It gives each rank of the cpu engine a core if there are enough cores;
   * otherwise ranks are not bound.
   */
  bind: BindingPolicy | null;
  /** Way to start agents; null = ssh if hosts are named, otherwise local (`launcherOf` decides). */
  launcher: LauncherChoice | null;
  rsh: 'ssh2' | 'openssh';
  sshConfig: string | null;
  knownHosts: string[] | null;
  identity: string[];
  /**
   * Folder for the agent on the hosts: absolute, or relative to the home folder on the host; null = the user's cache folder.
   */
  remoteDir: string | null;
  /** Path of the agent program; null = the agent of this build. */
  agent: string | null;
}
