import type { BindingPolicy } from '../hosts/binding.ts';
import type { GroupRule } from '../hosts/groups.ts';
import type { HostSpec } from '../hosts/host.ts';

/** How agents are started. */
export type LauncherChoice =
  | { kind: 'local' }
  | { kind: 'ssh' }
  | { kind: 'slurm' }
  | { kind: 'command'; template: string };

/** Which machines, how they are reached, and which rank goes where. */
export interface HostOptions {
  /** `null` = all ranks as one. */
  groups: GroupRule | null;
  /** `null` = not said: this machine, the hostfile, or those of a Slurm allocation. */
  hosts: HostSpec[] | null;
  hostfile: string | null;
  ranksPerNode: number | null;
  /** `block`, `node`, or the path of a rank map file. */
  map: string;
  /** `null` = as agents do by themselves: a core for each rank of the cpu engine where there are enough. */
  bind: BindingPolicy | null;
  /** `null` = local, with hosts ssh (`launcherOf` decides). */
  launcher: LauncherChoice | null;
  rsh: 'ssh2' | 'openssh';
  sshConfig: string | null;
  knownHosts: string[] | null;
  identity: string[];
  /** Absolute, or from the home folder there on; `null` = the user's cache. */
  remoteDir: string | null;
  /** `null` = the one of this build. */
  agent: string | null;
}
