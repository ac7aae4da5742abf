import { homedir } from 'node:os';
import path from 'node:path';
import { choiceOption, inGroup, type OptionValues } from '../../suites/options/option.ts';
import { parseEach, text, ValueError, wholeNumber } from '../../suites/options/values.ts';
import { bindings, parseBinding } from '../hosts/binding.ts';
import { parseGroups } from '../hosts/groups.ts';
import { parseHosts } from '../hosts/parse.ts';
import { type ContainerKind, containerKinds, isContainerKind } from '../launchers/containers.ts';
import { fill } from '../launchers/template.ts';
import { withValueErrors } from './host-errors.ts';

/**
 * Ways to start agents. `command`: `template` is a command line with `{host}`. With `{agent}` it starts an agent that is already on
 * the host; without, it starts a shell on the host, through which the agent is copied.
 */
export type LauncherChoice =
  | { kind: 'local' }
  | { kind: 'ssh' }
  | { kind: 'slurm' }
  | { kind: ContainerKind }
  | { kind: 'command'; template: string };

/**
 * Returns the path of a file on this machine, with "~/" expanded, because the shell does not expand it after "=" or in config
 * files. The file need not exist.
 * @throws {ValueError} if the value is empty
 */
const localFile = (value: string): string => {
  const file = text(value);
  return file.startsWith('~/') ? path.join(homedir(), file.slice(2)) : file;
};

const localFiles = parseEach(localFile);

function launcherChoice(value: string): LauncherChoice {
  if (value === 'local' || value === 'ssh' || value === 'slurm') return { kind: value };
  if (isContainerKind(value)) return { kind: value };
  if (!value.startsWith('command:')) throw new ValueError('no such launcher');
  const template = value.slice('command:'.length);
  withValueErrors(() => fill(template, { host: 'host', agent: 'agent' }));
  return { kind: 'command', template };
}

/**
 * Checks that a value is a valid name in Kubernetes (RFC 1123), and returns it. Such a name needs no quotes in a command.
 * @throws ValueError if it is not
 */
function kubernetesName(value: string): string {
  const name = text(value);
  if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name))
    throw new ValueError('not lower-case letters, digits, dashes and dots');
  return name;
}

function labels(value: string): string {
  const selector = text(value);
  if (selector.startsWith('-')) throw new ValueError('begins with a dash');
  return selector;
}

/** Options for runs over several hosts. host-rules.ts checks which of them can be combined. */
export const hostOptionRows = inGroup('Nodes', {
  hosts: {
    synonyms: ['nodelist', 'machines', 'servers'],
    conflicts: ['hostfile'],
    value: 'LIST',
    default: null,
    defaultDescription: 'this machine alone',
    allowed:
      'a comma list of [user@]host[:slots], host:port, host:port:slots; a number up to 1024 means slots, above a port; host:port=22:slots=2000:iface=eth1 gives all; IPv6 in brackets, [fe80::1%eth0]; at most 4096 hosts',
    describe:
      'Hosts to run on. gpu[01-08] and node-[a,b,03-05] name several; quote brackets if the shell expands them.',
    example: '--hosts gpu[01-08]:8,login@10.0.0.[1-4]:2222',
    coerce: (value) => withValueErrors(() => parseHosts(value)),
  },
  hostfile: {
    synonyms: ['machinefile', 'hosts-file', 'nodefile'],
    value: 'FILE',
    default: null,
    allowed:
      'a file as for Open MPI (host slots=8), MPICH (host:8) or Slurm (gpu[01-08]), also with iface=eth1',
    describe: 'Hosts to run on, from a file; instead of --hosts.',
    example: '--hostfile nodes.txt',
    coerce: localFile,
  },
  ranksPerNode: {
    synonyms: ['ppn', 'npernode', 'ntasks-per-node', 'nproc-per-node', 'slots'],
    value: 'N',
    default: null,
    defaultDescription: 'the slots of each host; without slots: one for each GPU, or --ranks spread evenly',
    allowed: 'a whole number from 1 to 256',
    describe: 'Ranks on each host.',
    example: '--hosts gpu[01-08] --ranks-per-node 8',
    coerce: wholeNumber(1, 256),
  },
  map: {
    value: 'WHICH',
    default: 'block',
    allowed:
      'block, node, or a file with lines "rank -> host:gpu:cpus" (gpu and cpus are optional), given with its folder or an extension: ./map',
    describe: 'Placement of ranks. block: fill one host after the other. node: round robin over the hosts.',
    example: '--hosts gpu[01-02]:8 --map node',
    coerce: (value): string => {
      const which = localFile(value);
      if (which === 'block' || which === 'node' || /[./]/.test(which)) return which;
      throw new ValueError(`neither block nor node; for a file of that name write ./${which}`);
    },
    choices: ['block', 'node'],
  },
  launcher: {
    value: 'KIND',
    default: null,
    defaultDescription: 'local; ssh with --hosts or --hostfile',
    allowed: `local, ssh, slurm, ${containerKinds.join(', ')}, or command:TEMPLATE, where {host} is replaced. The command starts a POSIX shell on the host, as in "kubectl exec -i {host} -- sh"; with {agent} it starts an agent that is there already`,
    describe:
      'How agents are started. slurm: by srun, on the nodes of the allocation if no hosts are named. kubernetes, docker, podman: in the running containers, or in those that --hosts names.',
    example: '--launcher slurm',
    coerce: launcherChoice,
    choices: ['local', 'ssh', 'slurm', ...containerKinds],
  },
  selector: {
    synonyms: ['labels', 'filter'],
    conflicts: ['hosts', 'hostfile'],
    value: 'LABELS',
    default: null,
    defaultDescription: 'all that run',
    allowed: 'labels as for kubectl --selector, or as for docker ps --filter label=',
    describe: 'Containers to run in, by their labels; instead of --hosts.',
    example: '--launcher kubernetes --selector app=collbench',
    coerce: labels,
  },
  namespace: {
    value: 'NAME',
    default: null,
    defaultDescription: 'that of the kubectl context',
    allowed: 'a name of Kubernetes',
    describe: 'Kubernetes namespace of the pods.',
    example: '--launcher kubernetes --namespace training --selector app=collbench',
    coerce: kubernetesName,
  },
  container: {
    value: 'NAME',
    default: null,
    defaultDescription: 'the first, or the annotated one',
    allowed: 'a name of Kubernetes',
    describe: 'Container within each pod.',
    example: '--launcher kubernetes --selector app=collbench --container main',
    coerce: kubernetesName,
  },
  rsh: {
    value: 'KIND',
    default: 'ssh2',
    defaultDescription: 'ssh2 (built in)',
    ...choiceOption(['ssh2', 'openssh']),
    allowed: 'ssh2 or openssh',
    describe: "SSH client. openssh: the system's ssh, for Kerberos and hardware keys.",
    example: '--hosts gpu[01-02] --rsh openssh',
  },
  sshConfig: {
    value: 'FILE',
    default: null,
    defaultDescription: "the user's and the system's",
    allowed: 'a file as ~/.ssh/config',
    describe: 'SSH configuration to read instead.',
    example: '--hosts gpu[01-02] --ssh-config cluster.conf',
    coerce: localFile,
  },
  knownHosts: {
    value: 'LIST',
    default: null,
    defaultDescription: 'files of the ssh configuration',
    allowed: 'a comma list of files as ~/.ssh/known_hosts',
    describe: 'Files of known host keys. Keys are always checked.',
    example: '--hosts gpu[01-02] --known-hosts cluster-keys',
    coerce: localFiles,
  },
  identity: {
    synonyms: ['key', 'ssh-key', 'identity-file'],
    value: 'LIST',
    default: [],
    defaultDescription: 'the agent, and the keys of the ssh configuration',
    allowed: 'a comma list of private key files',
    describe: 'Private keys to try first.',
    example: '--hosts gpu[01-02] --identity ~/.ssh/cluster',
    coerce: localFiles,
  },
  remoteDir: {
    value: 'DIR',
    default: null,
    defaultDescription: "ssh: the user's cache there; others: a temporary folder, removed at the end",
    allowed: 'a folder of the nodes: absolute, or from the home folder on',
    describe: 'Private folder of the agent on the nodes.',
    example: '--hosts gpu[01-02] --remote-dir /scratch/me',
    coerce: (value): string => {
      const folder = text(value).replace(/^~\/+/, '');
      if (/\p{C}/u.test(folder)) throw new ValueError('it has invisible characters');
      if (folder === '' || folder.startsWith('~')) throw new ValueError('not a folder below the home folder');
      return folder;
    },
  },
  agent: {
    value: 'PATH',
    default: null,
    defaultDescription: 'the one of this build',
    allowed: 'path of a collbench-agent',
    describe: 'Agent to start. It is copied to the hosts.',
    example: '--hosts gpu[01-02] --agent build-aarch64/collbench-agent',
    coerce: localFile,
  },
});

/** Options for the ranks: division into groups, binding to CPUs, priority of their processes, CPU quota. */
export const rankOptionRows = inGroup('Where it runs', {
  groups: {
    value: 'RULE',
    default: null,
    defaultDescription: 'none: all ranks as one',
    allowed:
      'node, rail, mod:N, div:N, and:MASK, or:MASK, or colors:C,C,... with a color for each rank; two ranks or more in each group',
    describe:
      'Groups of ranks that run the collective at the same time. node: ranks of one host. rail: the k-th rank of every host. mod, div, and, or: as NCCL_TESTS_SPLIT.',
    example: '--ranks 4 --groups mod:2',
    coerce: (value) => withValueErrors(() => parseGroups(value.trim())),
  },
  bind: {
    value: 'HOW',
    choices: bindings,
    allowed: `${bindings.join(', ')}, or a list of CPUs such as 2,3`,
    default: null,
    defaultDescription: 'engine cpu: core, if there are enough, other cores for each launch; others: none',
    describe:
      'CPUs of each rank. core: one each, on cores of their own first. numa: those of the NUMA node near its GPU, with its memory. 2,3: CPU 2 for the first rank of a host, CPU 3 for the second. A --map file can name CPUs instead.',
    example: '--bind numa',
    coerce: parseBinding,
  },
  priority: {
    synonyms: ['nice'],
    ...choiceOption(['normal', 'high']),
    value: 'KIND',
    default: 'normal',
    describe:
      'Scheduling priority of the ranks. high: nice -20, above other processes; needs root or CAP_SYS_NICE. The time that it saves is the cost of the others.',
    example: '--priority high',
  },
  cpuQuota: {
    synonyms: ['quota', 'cgroup'],
    ...choiceOption(['keep', 'leave']),
    value: 'WHAT',
    default: 'keep',
    describe:
      'Control groups that limit processor time (containers, jobs). leave: the ranks run outside of them, with version 2 also outside of their memory limit; needs root on the host.',
    example: '--cpu-quota leave',
  },
});

/** Options for hosts: which hosts are used, how agents are started on them, and which rank runs on which host. */
export type HostOptions = OptionValues<typeof hostOptionRows & typeof rankOptionRows>;
