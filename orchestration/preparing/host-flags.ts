import { homedir } from 'node:os';
import path from 'node:path';
import { type OptionRowsFor, ValueError } from '../../suites/options/flag.ts';
import { splitWords, text, unique, wholeNumber } from '../../suites/options/values.ts';
import { parseHosts } from '../hosts/parse.ts';
import { fill } from '../launchers/template.ts';
import type { HostOptions, LauncherChoice } from './host-options.ts';
import { withValueErrors } from './value-errors.ts';

const group = 'Nodes';

/** Path of a file on this machine, with "~/" expanded. The shell does not expand "~/" after "=" or in config files. */
const localFile = (value: string): string => {
  const file = text(value);
  return file.startsWith('~/') ? path.join(homedir(), file.slice(2)) : file;
};

const localFiles = (value: string): string[] => {
  const files = unique(splitWords(value).map(localFile));
  if (files.length === 0) throw new ValueError('empty');
  return files;
};

function launcherChoice(value: string): LauncherChoice {
  if (value === 'local' || value === 'ssh' || value === 'slurm') return { kind: value };
  if (!value.startsWith('command:')) throw new ValueError('no such launcher');
  const template = value.slice('command:'.length);
  withValueErrors(() => fill(template, { host: 'host', agent: 'agent' }));
  return { kind: 'command', template };
}

/** Options for runs over several hosts. host-rules.ts checks which of them can be combined. */
export const hostFlags: OptionRowsFor<Omit<HostOptions, 'groups' | 'bind'>> = {
  hosts: {
    name: 'hosts',
    group,
    value: 'LIST',
    fallback: null,
    shown: 'this machine alone',
    allowed:
      'a comma list of [user@]host[:slots], host:port, host:port:slots; a number up to 1024 means slots, above a port; host:port=22:slots=2000:iface=eth1 gives all; IPv6 in brackets, [fe80::1%eth0]; at most 4096 hosts',
    help: 'Hosts to run on. gpu[01-08] and node-[a,b,03-05] name several; quote brackets if the shell expands them.',
    example: '--hosts gpu[01-08]:8,login@10.0.0.[1-4]:2222',
    parse: (value) => withValueErrors(() => parseHosts(value)),
  },
  hostfile: {
    name: 'hostfile',
    group,
    value: 'FILE',
    fallback: null,
    shown: 'none',
    allowed:
      'a file as for Open MPI (host slots=8), MPICH (host:8) or Slurm (gpu[01-08]), also with iface=eth1',
    help: 'Hosts to run on, from a file; instead of --hosts.',
    example: '--hostfile nodes.txt',
    parse: localFile,
  },
  ranksPerNode: {
    name: 'ranks-per-node',
    group,
    value: 'N',
    fallback: null,
    shown: 'the slots of each host; without slots: one for each GPU, or --ranks spread evenly',
    allowed: 'a whole number from 1 to 256',
    help: 'Ranks on each host.',
    example: '--hosts gpu[01-08] --ranks-per-node 8',
    parse: wholeNumber(1, 256),
  },
  map: {
    name: 'map',
    group,
    value: 'WHICH',
    fallback: 'block',
    shown: 'block',
    allowed:
      'block, node, or a file with lines "rank -> host:gpu:cpus" (gpu and cpus are optional), given with its folder or an extension: ./map',
    help: 'Placement of ranks. block: fill one host after the other. node: round robin over the hosts.',
    example: '--hosts gpu[01-02]:8 --map node',
    parse: (value) => {
      const which = localFile(value);
      if (which === 'block' || which === 'node' || /[./]/.test(which)) return which;
      throw new ValueError(`neither block nor node; for a file of that name write ./${which}`);
    },
    words: ['block', 'node'],
  },
  launcher: {
    name: 'launcher',
    group,
    value: 'KIND',
    fallback: null,
    shown: 'local; ssh with --hosts or --hostfile',
    allowed:
      'local, ssh, slurm, or command:TEMPLATE, where {host} and {agent} are replaced; no shell is used, and the agent must be on the nodes',
    help: 'How agents are started. slurm: by srun, on the nodes of the allocation if no hosts are named.',
    example: '--launcher slurm',
    parse: launcherChoice,
    words: ['local', 'ssh', 'slurm'],
  },
  rsh: {
    name: 'rsh',
    group,
    value: 'KIND',
    fallback: 'ssh2',
    shown: 'ssh2 (built in)',
    allowed: 'ssh2 or openssh',
    help: "SSH client. openssh: the system's ssh, for Kerberos and hardware keys.",
    example: '--hosts gpu[01-02] --rsh openssh',
    parse: (value) => {
      if (value !== 'ssh2' && value !== 'openssh') throw new ValueError('neither of them');
      return value;
    },
    words: ['ssh2', 'openssh'],
  },
  sshConfig: {
    name: 'ssh-config',
    group,
    value: 'FILE',
    fallback: null,
    shown: "the user's and the system's",
    allowed: 'a file as ~/.ssh/config',
    help: 'SSH configuration to read instead.',
    example: '--hosts gpu[01-02] --ssh-config cluster.conf',
    parse: localFile,
  },
  knownHosts: {
    name: 'known-hosts',
    group,
    value: 'LIST',
    fallback: null,
    shown: 'files of the ssh configuration',
    allowed: 'a comma list of files as ~/.ssh/known_hosts',
    help: 'Files of known host keys. Keys are always checked.',
    example: '--hosts gpu[01-02] --known-hosts cluster-keys',
    parse: localFiles,
  },
  identity: {
    name: 'identity',
    group,
    value: 'LIST',
    fallback: [],
    shown: 'the agent, and the keys of the ssh configuration',
    allowed: 'a comma list of private key files',
    help: 'Private keys to try first.',
    example: '--hosts gpu[01-02] --identity ~/.ssh/cluster',
    parse: localFiles,
  },
  remoteDir: {
    name: 'remote-dir',
    group,
    value: 'DIR',
    fallback: null,
    shown: "the user's cache there",
    allowed: 'a folder of the nodes: absolute, or from the home folder on',
    help: 'Private folder of the agent on the nodes.',
    example: '--hosts gpu[01-02] --remote-dir /scratch/me',
    parse: (value) => {
      const folder = text(value).replace(/^~\/+/, '');
      if (/\p{C}/u.test(folder)) throw new ValueError('it has invisible characters');
      if (folder === '' || folder.startsWith('~')) throw new ValueError('not a folder below the home folder');
      return folder;
    },
  },
  agent: {
    name: 'agent',
    group,
    value: 'PATH',
    fallback: null,
    shown: 'the one of this build',
    allowed: 'path of a collbench-agent',
    help: 'Agent to start. Over ssh it is copied from this machine; with --launcher slurm or command it must be on the nodes.',
    example: '--hosts gpu[01-02] --agent build-aarch64/collbench-agent',
    parse: localFile,
  },
};
