// Causes of lost time of known size, planted for `collbench explain`.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { numbersOf } from '../../../results/fold.ts';
import { cluster } from '../../cluster/bed.ts';
import { slowCable } from '../../cluster/faults.ts';
import { addSecondLink, type TestHost } from '../../cluster/host.ts';
import { lostSegments } from '../flags/disturbances.ts';

/** A planted cause, several at once, or none (a healthy run). */
export interface Plant {
  /** Name of the row in the confusion matrix. */
  kind: string;
  /** Ids of causes that are right as the first one; empty for a healthy run. One list for each cause that is planted. */
  causes: readonly (readonly string[])[];
  /** The command, without options that plant the cause. */
  clean: string;
  /** Options that plant the cause, and those without it. */
  options?: string;
  cleanOptions?: string;
  /** Number of operations of each kind in a launch of the measured run; absent = 30. */
  iterations?: number;
  /**
   * True if the command has the cause by itself. What it takes back to back without the cause is then the time of its isolated
   * operations.
   */
  isInherent?: true;
  /** Command around collbench, with the cause and without it. */
  prefix?: readonly string[];
  cleanPrefix?: readonly string[];
  /** Number of test hosts, with a rank each, between which the command runs; absent = it runs on this machine. */
  hosts?: number;
  /** Prepares the test hosts, also for the command without the cause. */
  prepare?(hosts: readonly TestHost[]): Promise<void>;
  /** Plants the cause in the machine or the test hosts. */
  begin?(hosts: readonly TestHost[]): PlantedCause | Promise<PlantedCause>;
  /** Reason why this machine cannot have the cause; null or absent = it can. */
  obstacle?(): string | null;
}

/** A cause in a machine. */
export interface PlantedCause {
  /** Command around collbench, with which collbench is affected. */
  prefix?: readonly string[];
  /** Removes the cause. */
  end(): void | Promise<void>;
}

const allowed = numbersOf(
  /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0',
);
const firstCpu = allowed[0] ?? 0;

const needsRoot = (): string | null => (process.getuid?.() === 0 ? null : 'needs root');
const has = (program: string): boolean =>
  (process.env.PATH ?? '').split(':').some((folder) => existsSync(path.join(folder, program)));
const needs =
  (...programs: string[]) =>
  (): string | null =>
    needsRoot() ??
    programs.map((one) => (has(one) ? null : `needs ${one}`)).find((one) => one !== null) ??
    null;

/** Busy loop on one CPU; it ends when this process is gone. */
function busyLoop(cpu: number): { end(): void } {
  const program =
    'const parent = process.ppid; while (process.ppid === parent) for (const end = Date.now() + 20; Date.now() < end;);';
  const loop: ChildProcess = spawn('taskset', ['-c', String(cpu), process.execPath, '-e', program], {
    stdio: 'ignore',
  });
  return { end: () => loop.kill('SIGKILL') };
}

/** Control group with a quota of this many CPUs in each period. */
function limitedGroup(cpus: number): { prefix: readonly string[]; end(): void } {
  const [root = '/sys/fs/cgroup'] = cpuRoots();
  const group = path.join(root, `collbench-bench-${process.pid}`);
  mkdirSync(group);
  const end = () => rmdirSync(group);
  try {
    const [file, text] = existsSync(path.join(group, 'cpu.max'))
      ? ['cpu.max', `${Math.round(cpus * periodUs)} ${periodUs}`]
      : ['cpu.cfs_quota_us', String(Math.round(cpus * periodUs))];
    if (file !== 'cpu.max') writeFileSync(path.join(group, 'cpu.cfs_period_us'), String(periodUs));
    writeFileSync(path.join(group, file), text);
  } catch (error) {
    end();
    throw error;
  }
  return { prefix: ['sh', '-c', `echo $$ > ${group}/cgroup.procs; exec "$@"`, 'sh'], end };
}

/** Folders that may get a control group with the cpu controller: of version 1 that of this process, of version 2 the top. */
const cpuRoots = (): string[] => {
  const own =
    /^\d+:(?:\w+,)*cpu(?:,\w+)*:(\/.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1] ?? '';
  const [first, second] = ['/sys/fs/cgroup/cpu', '/sys/fs/cgroup'];
  // In a container the path of a group may be that of the host.
  return [path.join(first, own), first, second].filter((root) => {
    if (existsSync(path.join(root, 'cpu.cfs_quota_us'))) return true;
    const file = path.join(root, 'cgroup.subtree_control');
    return existsSync(file) && readFileSync(file, 'utf8').split(/\s+/).includes('cpu');
  });
};

/** Command in a network namespace of its own, in which these commands of the shell have run. */
const inNamespace = (...commands: string[]): string[] => {
  const script = ['mount -t sysfs sysfs /sys', 'ip link set lo up', ...commands, 'exec "$@"'].join(' && ');
  return ['unshare', '--net', '--mount', 'sh', '-c', script, 'sh'];
};
const smallBuffers = ['tcp_rmem', 'tcp_wmem'].map(
  (name) => `echo "4096 8192 8192" > /proc/sys/net/ipv4/${name}`,
);
const bursts = 'burst 128kb cburst 128kb';
/** Number of classes of the queueing discipline. Four connections have one of their own each in 98 of 100 cases. */
const classCount = 256;
/** Classic BPF program that chooses the class of a packet by its two TCP ports, so that a connection stays in one class. */
const classOfPorts = [
  '40 0 0 4293918740', // The port of the sender, 20 bytes behind the start of the IP header, ...
  '7 0 0 0',
  '40 0 0 4293918742', // ... and that of the receiver, ...
  '172 0 0 0', // ... as one number, the same in both directions.
  '116 0 0 1', // Its lowest bit is hardly ever different: Linux gives even ports to clients.
  `84 0 0 ${classCount - 1}`,
  `4 0 0 ${0x1_0001}`, // Classes are 1:1 and the following.
  '22 0 0 0',
];
/**
 * All connections over lo together carry at most 1 GB/s, and each at most an eighth of that. Two ranks have as many connections in
 * each direction as they have streams, so that eight streams are as fast as four.
 * Discipline htb paces classes of packets on kernels that lack fq, which paces connections by itself.
 */
const pacedConnections = inNamespace(
  'tc qdisc add dev lo root handle 1: htb default 1',
  `tc class add dev lo parent 1: classid 1:fff htb rate 8gbit ${bursts}`,
  `for n in $(seq ${classCount}); do printf "class add dev lo parent 1:fff classid 1:%x htb rate 8mbit ceil 1gbit quantum 65536 ${bursts}\\n" $n; done | tc -batch -`,
  `tc filter add dev lo parent 1: bpf bytecode '${classOfPorts.length},${classOfPorts.join(',')}'`,
);

/** True if the commands of a namespace can run here. */
function canRun(prefix: readonly string[]): string | null {
  const [program = '', ...words] = prefix;
  try {
    execFileSync(program, [...words, 'true'], { stdio: 'pipe' });
    return null;
  } catch (error) {
    return `needs what failed here: ${String((error as { stderr?: unknown }).stderr ?? error).trim()}`;
  }
}

const gpuCount = readdirSync('/dev').filter((name) => /^nvidia\d+$/.test(name)).length;
/** Ranks of engine nccl share a GPU if there is only one. Without MPS their times would be time slices. */
const sharedGpu = gpuCount === 1 ? ' --share-gpu' : '';

const needsMps = (): string | null =>
  gpuCount > 0 && process.env.CUDA_MPS_PIPE_DIRECTORY !== undefined
    ? null
    : 'needs a GPU with CUDA MPS, and CUDA_MPS_PIPE_DIRECTORY';
const needsGpus = (): string | null =>
  gpuCount >= 2 || needsMps() === null ? null : `needs two GPUs; one ${needsMps()}`;
const needsTwoGpus = (): string | null => (gpuCount >= 2 ? null : 'needs two GPUs');

/** Threads of each rank of two that are more than the CPUs, within the limit of the engine. */
const tooManyThreads = Math.min(16, Math.max(8, allowed.length));

/** A busy loop on the CPU of the first rank. With two CPUs the ranks have nowhere else to go, so that only priority helps. */
const besideBusyCore = {
  options: allowed.length > 2 ? `--bind ${allowed.slice(0, 2).join(',')}` : '',
  begin: () => busyLoop(firstCpu),
  obstacle: () => (has('taskset') ? (allowed.length < 3 ? needsRoot() : null) : 'needs taskset'),
};

/** Two ranks run for 30 ms of every 100 ms, the usual period. Most operations run without a stop, so the median hardly changes. */
const [quotaCpus, periodUs] = [0.6, 100_000];

function noTestHosts(): string | null {
  const reason = cluster();
  return reason === false ? null : reason;
}

/** Rate of the links of test hosts in Mbit/s. */
export const hostRateMbit = 1000;
const slowRateMbit = 20;

/** Makes the first link of each of these hosts slow. */
async function slowed(hosts: readonly TestHost[]): Promise<PlantedCause> {
  const changeRates = async (mbit: number) => {
    for (const host of hosts) await slowCable(host, mbit);
  };
  await changeRates(slowRateMbit);
  return { end: () => changeRates(hostRateMbit) };
}

export const planted: readonly Plant[] = [
  {
    kind: 'slow link',
    causes: [['link']],
    clean: 'allreduce --sizes 64K --transport sisci --medium emulated',
    options: '--link custom:gbps=0.5',
  },
  {
    kind: 'forced algorithm',
    causes: [['algorithm']],
    clean: 'allreduce --sizes 2K',
    options: '--algo ring',
  },
  {
    kind: 'too many threads',
    causes: [['threads']],
    clean: 'allreduce --sizes 256K --transport shm',
    options: `--channels ${tooManyThreads}`,
  },
  {
    kind: 'one stream of four',
    causes: [['streams']],
    clean: 'allreduce --sizes 4M',
    options: '--streams 1',
    cleanOptions: '--streams 4',
    prefix: pacedConnections,
    cleanPrefix: pacedConnections,
    obstacle: () => needs('unshare', 'tc', 'ip')() ?? canRun(pacedConnections),
  },
  {
    kind: 'ranks on one core',
    causes: [['placement']],
    clean: 'allreduce --sizes 64K --transport shm',
    options: `--bind ${firstCpu},${firstCpu}`,
    obstacle: () => (allowed.length < 2 ? 'needs two CPUs' : null),
  },
  {
    kind: 'busy core',
    // Ranks that are not bound leave the busy CPU, as ranks bound to other CPUs do. An operation outlasts a time slice, because
    // most shorter ones would not meet the other process.
    causes: [['others-load', 'placement']],
    clean: 'allreduce --sizes 16M --transport shm',
    ...besideBusyCore,
  },
  {
    kind: 'CPU quota',
    causes: [['cpu-quota']],
    clean: 'allreduce --sizes 4M --transport shm',
    // Fewer may end before the quota of the first period is used up.
    iterations: 300,
    begin: () => limitedGroup(quotaCpus),
    obstacle: () =>
      needsRoot() ?? (cpuRoots().length === 0 ? 'needs control groups of the CPU controller' : null),
  },
  {
    kind: 'small socket buffers',
    causes: [['socket-buffers']],
    clean: 'allreduce --sizes 1M',
    options: '--socket-buffer 4K',
  },
  {
    kind: 'small limit of the kernel for buffers',
    causes: [['socket-buffers']],
    clean: 'allreduce --sizes 1M',
    prefix: inNamespace(...smallBuffers),
    cleanPrefix: inNamespace(),
    obstacle: () => needs('unshare', 'ip')() ?? canRun(inNamespace(...smallBuffers)),
  },
  {
    kind: 'lossy lo',
    causes: [['loss']],
    // One operation in fifty loses a segment, and some of these wait for a timer of TCP. The mean contains these waits, the median
    // does not.
    clean: 'allreduce --sizes 64K',
    iterations: 300,
    ...lossy(1),
  },
  {
    kind: 'slow hop of four hosts',
    causes: [['hop']],
    // Each rank sends 98 kB.
    clean: 'allreduce --sizes 64K --algo ring',
    iterations: 10,
    hosts: 4,
    begin: ([, slow]) => slowed(slow === undefined ? [] : [slow]),
    obstacle: noTestHosts,
  },
  {
    kind: 'slow rail of two',
    causes: [['rails']],
    clean: 'allgather --sizes 256K',
    iterations: 10,
    hosts: 2,
    prepare: (hosts) => addSecondLink(hosts, hostRateMbit),
    // Sockets between hosts use the interface of the default route.
    begin: slowed,
    obstacle: noTestHosts,
  },
  {
    kind: 'late rank',
    causes: [['arrival']],
    clean: 'allreduce --sizes 64K --transport shm',
    options: '--skew 250us --skew-rank 1',
  },
  {
    kind: 'NCCL: forced algorithm',
    causes: [['algorithm']],
    clean: 'allreduce --engine nccl --sizes 64M',
    options: '--algo tree',
    obstacle: needsTwoGpus,
  },
  {
    kind: 'NCCL: forced protocol',
    causes: [['protocol']],
    clean: `allreduce --engine nccl --sizes 16M${sharedGpu}`,
    options: '--proto LL',
    obstacle: needsGpus,
  },
  {
    // Four ranks on one GPU are four hosts for NCCL, which takes fewer steps with a tree than with a ring.
    kind: 'NCCL: forced ring',
    causes: [['algorithm']],
    clean: 'allreduce --engine nccl --sizes 8 --share-gpu --ranks 4',
    options: '--algo ring',
    obstacle: () => (allowed.length < 8 ? 'needs eight CPUs, two for each rank' : needsMps()),
  },
  {
    kind: 'NCCL: one channel',
    causes: [['environment']],
    clean: `allreduce --engine nccl --sizes 64M${sharedGpu}`,
    prefix: ['env', 'NCCL_MAX_NCHANNELS=1'],
    // Over sockets of one host one channel is as fast as several.
    obstacle: needsTwoGpus,
  },
  {
    kind: 'NCCL: small buffers',
    causes: [['environment']],
    clean: `allreduce --engine nccl --transport socket --sizes 16M${sharedGpu}`,
    prefix: ['env', 'NCCL_BUFFSIZE=65536'],
    obstacle: needsGpus,
  },
  {
    kind: 'NCCL: socket instead of p2p',
    causes: [['transport']],
    clean: 'allreduce --engine nccl --sizes 16M',
    options: '--transport socket',
    cleanOptions: '--transport p2p',
    obstacle: needsTwoGpus,
  },
  {
    // NCCL has threads of its own in each rank, for which one core is too few. Launchers of MPI bind ranks like this by default.
    kind: 'NCCL: ranks bound to a core each',
    causes: [['placement']],
    clean: `allreduce --engine nccl --transport socket --sizes 8${sharedGpu}`,
    options: `--bind ${allowed.slice(0, 2).join(',')}`,
    obstacle: () => (allowed.length < 4 ? 'needs four CPUs' : needsGpus()),
  },
  {
    kind: 'GPU kernels: forced algorithm',
    causes: [['algorithm']],
    clean: `allreduce --engine cuda --sizes 64K${sharedGpu}`,
    options: '--algo loads',
    obstacle: needsGpus,
  },
  {
    kind: 'GPU kernels: one block',
    causes: [['grid']],
    clean: `allreduce --engine cuda --sizes 4M${sharedGpu}`,
    options: '--blocks 1',
    obstacle: needsGpus,
  },
  {
    kind: 'GPU kernels: shorter than their launch by the host',
    causes: [['queueing']],
    clean: `allreduce --engine cuda --sizes 8${sharedGpu}`,
    isInherent: true,
    obstacle: needsGpus,
  },
];

function lossy(percentage: number): Pick<Plant, 'prefix' | 'cleanPrefix' | 'obstacle'> {
  const prefix = lostSegments(percentage).prefix ?? [];
  return {
    prefix,
    cleanPrefix: inNamespace(),
    obstacle: () => needs('unshare', 'nft', 'ip')() ?? canRun(prefix),
  };
}

export const pairs: readonly Plant[] = [
  {
    kind: 'slow link and forced algorithm',
    causes: [['link'], ['algorithm']],
    // Each write costs 5 us. A ring makes two of them, the default algorithm one.
    clean: 'allreduce --sizes 2K --transport sisci --medium emulated',
    options: '--link custom:gbps=0.5,pio-write-us=5 --algo ring',
  },
  {
    kind: 'busy core and too many threads',
    causes: [['others-load', 'placement'], ['threads']],
    clean: 'allreduce --sizes 16M --transport shm',
    ...besideBusyCore,
    options: `${besideBusyCore.options} --channels ${tooManyThreads}`,
  },
  {
    kind: 'lossy lo and small socket buffers',
    causes: [['loss'], ['socket-buffers']],
    clean: 'allreduce --sizes 512K',
    options: '--socket-buffer 4K',
    ...lossy(0.5),
  },
];

const healthyOnCpus = [
  'allreduce --sizes 2K',
  'allreduce --sizes 64 --transport shm',
  'allgather --sizes 64K --transport sisci',
  // From 256 KiB more threads make a broadcast faster where CPUs are idle.
  'broadcast --sizes 8K',
];
const healthyOnGpus = [
  'allreduce --engine nccl --sizes 16M',
  'allgather --engine nccl --sizes 1M',
  'allreduce --engine nccl --sizes 8',
  'allreduce --engine cuda --sizes 4M',
];

export const healthy: readonly Plant[] = [
  ...healthyOnCpus.map((clean) => ({ kind: 'healthy', causes: [], clean })),
  ...healthyOnGpus.map((words) => ({
    ...{ kind: 'healthy, on GPUs', causes: [], obstacle: needsGpus },
    clean: `${words}${sharedGpu}`,
  })),
];
