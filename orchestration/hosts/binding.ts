// Binding of the ranks of a host to CPUs, memory nodes and GPUs.
import { numbersOf, rangesOf } from '../../results/fold.ts';
import { parseOneOf } from '../../suites/options/values.ts';
import { HostsError } from './error.ts';
import type { RankLine } from './rank-map.ts';

/** CPUs, memory and GPU of one rank, in the format of run.json and of the agent protocol. `rank`: its number in the run. */
export interface RankPlacement {
  rank: number;
  /** CPUs that the rank may use, in the kernel's list format ("0-3,8"); "" = all CPUs. */
  cpus: string;
  /** NUMA nodes from which the rank gets memory, in the kernel's list format; "" = all nodes. */
  memoryNodes: string;
  /**
   * Number of the rank's GPU on the host, from 0; absent = none was chosen: if ranks use GPUs, the k-th rank of the host takes the
   * k-th GPU.
   */
  gpu?: number | undefined;
}

/**
 * Values of --bind that are words. `none`: ranks are not bound. `core`: one CPU per rank, on separate cores while there are enough
 * cores. `numa`: all CPUs and the memory of one NUMA node.
 */
export const bindings = ['none', 'core', 'numa'] as const;
/**
 * Value of --bind: one of its words, or a list of CPU numbers. With a list, the k-th rank on each host is bound to the
 * k-th CPU of the list.
 */
export type BindingPolicy = (typeof bindings)[number] | readonly number[];

/**
 * Parses the value of --bind. Whether the CPUs exist is not checked.
 * @throws {ValueError} if it is neither a word of --bind nor a list of CPUs such as "0-3,8"
 */
export function parseBinding(value: string): BindingPolicy {
  if (/^\d{1,5}(?:-\d{1,5})?(?:,\d{1,5}(?:-\d{1,5})?)*$/.test(value)) return numbersOf(value);
  return parseOneOf(bindings)(value);
}

/**
 * CPUs and NUMA nodes of a host, as reported by its agent. `numa`: the CPUs of each node, in the kernel's list format ("0-3,8");
 * empty = not known.
 */
export interface HostCpus {
  /** CPUs that the agent may use; undefined if the host was not probed. */
  cpus: string | undefined;
  /** One CPU of each core in `cpus`, the lowest; undefined if the host was not probed. */
  oneCpuPerCore?: string | undefined;
  numa: readonly { node: number; cpus: string }[];
  /**
   * NUMA nodes of the GPUs that ranks may use, in the order in which the ranks of the host take them, -1 = unknown; empty if ranks
   * use no GPU.
   */
  gpuNodes: readonly number[];
}

/** Returns ascending numbers as text in the kernel's format for lists of CPUs ("0-3,8"); "" for no numbers. */
const listOf = (numbers: readonly number[]): string => rangesOf(numbers).join(',');

/**
 * Returns the NUMA nodes that contain at least one of `cpus`, in the kernel's list format; "" if the machine has a single node, or
 * its nodes are unknown.
 */
function nodesOf(cpus: readonly number[], { numa }: HostCpus): string {
  if (numa.length < 2) return '';
  return listOf(
    numa.filter((one) => numbersOf(one.cpus).some((cpu) => cpus.includes(cpu))).map(({ node }) => node),
  );
}

function allowedOn(host: string, { cpus }: HostCpus): number[] {
  if (cpus !== undefined && cpus !== '') return numbersOf(cpus);
  throw new HostsError(
    `the agent on ${host} does not report its CPUs: it is from another build`,
    null,
    'leave out --bind and the CPUs of the rank map, or use --agent PATH with one from this build',
  );
}

/**
 * Binds ranks to the CPUs that the rank map gives them. A rank whose line in the map names no CPUs is not bound. Returns the ranks
 * in the order of the lines.
 * @param lines lines of the map for this host
 * @param hostCpus CPUs and NUMA nodes of the host
 * @throws HostsError if CPUs do not exist, are not allowed, or belong to two ranks, or the host was not probed
 */
function mapped(host: string, lines: readonly RankLine[], hostCpus: HostCpus): RankPlacement[] {
  const owners = new Map<number, number>();
  return lines.map(({ rank, cpus }) => {
    if (cpus === null) return { rank, cpus: '', memoryNodes: '' };
    const allowed = allowedOn(host, hostCpus);
    const missing = cpus.filter((cpu) => !allowed.includes(cpu));
    if (missing.length > 0) {
      throw new HostsError(
        `the rank map gives CPU ${listOf(missing)} of ${host} to rank ${rank}; there are ${listOf(allowed)}`,
        null,
        'CPUs that exist, or a larger allocation',
      );
    }
    for (const cpu of cpus) {
      const owner = owners.get(cpu);
      if (owner !== undefined) {
        throw new HostsError(`the rank map gives CPU ${cpu} of ${host} to rank ${owner} and to rank ${rank}`);
      }
      owners.set(cpu, rank);
    }
    return { rank, cpus: listOf(cpus), memoryNodes: nodesOf(cpus, hostCpus) };
  });
}

/**
 * Binds the k-th rank of a host to the k-th CPU in `cpus`. Two ranks share a CPU that is listed twice; CPUs beyond the number of
 * ranks are not used.
 * @param hostCpus CPUs and NUMA nodes of the host
 * @throws HostsError if the list has too few CPUs, the host does not have one of them, or it was not probed
 */
function byList(
  host: string,
  ranks: readonly number[],
  cpus: readonly number[],
  hostCpus: HostCpus,
): RankPlacement[] {
  const allowed = allowedOn(host, hostCpus);
  return ranks.map((rank, i) => {
    const cpu = cpus[i];
    if (cpu !== undefined && allowed.includes(cpu))
      return { rank, cpus: String(cpu), memoryNodes: nodesOf([cpu], hostCpus) };
    const problem =
      cpu === undefined ? `no CPU for rank ${rank} on ${host}` : `CPU ${cpu} of ${host} for rank ${rank}`;
    throw new HostsError(
      `--bind ${cpus.join(',')} names ${problem}`,
      null,
      `one CPU for each rank of a host, among ${listOf(allowed)}`,
    );
  });
}

function byCore(host: string, ranks: readonly number[], hostCpus: HostCpus): RankPlacement[] {
  const allowed = allowedOn(host, hostCpus);
  if (allowed.length < ranks.length) {
    throw new HostsError(
      `--bind core: ${ranks.length} ranks on ${host}, which has ${allowed.length} CPUs (${listOf(allowed)})`,
      null,
      '--bind none, or fewer ranks there',
    );
  }
  const firsts = numbersOf(hostCpus.oneCpuPerCore ?? '');
  const inOrder = [...firsts, ...allowed.filter((cpu) => !firsts.includes(cpu))];
  return ranks.map((rank, i) => {
    const cpu = inOrder[i] as number;
    return { rank, cpus: String(cpu), memoryNodes: nodesOf([cpu], hostCpus) };
  });
}

/**
 * Binds ranks to the CPUs and the memory of NUMA nodes. A rank with a GPU uses the GPU's node. Ranks without a GPU, or whose GPU
 * has an unknown node, are spread evenly over the nodes, with consecutive ranks on one node.
 * @param gpuOf number of each rank's GPU, keyed by rank; a rank that is not in it, the k-th of the host, uses GPU k
 * @param hostCpus CPUs and NUMA nodes of the host
 * @throws HostsError if no node has CPUs that are allowed, or the host was not probed
 */
function byNode(
  host: string,
  ranks: readonly number[],
  gpuOf: ReadonlyMap<number, number>,
  hostCpus: HostCpus,
): RankPlacement[] {
  const allowed = allowedOn(host, hostCpus);
  const nodes = hostCpus.numa
    .map(({ node, cpus }) => ({ node, cpus: numbersOf(cpus).filter((cpu) => allowed.includes(cpu)) }))
    .filter(({ cpus }) => cpus.length > 0);
  if (nodes.length === 0)
    throw new HostsError(`--bind numa: ${host} reports no NUMA nodes`, null, '--bind core');
  return ranks.map((rank, i) => {
    const near = nodes.find(({ node }) => node === hostCpus.gpuNodes[gpuOf.get(rank) ?? i]);
    const { cpus } = near ?? (nodes[Math.floor((i * nodes.length) / ranks.length)] as (typeof nodes)[number]);
    return { rank, cpus: listOf(cpus), memoryNodes: nodesOf(cpus, hostCpus) };
  });
}

/**
 * Returns the number of each rank's GPU, from 0, keyed by rank. Ranks whose line in the rank map names no GPU get the unused GPUs
 * in order.
 * @param lines lines of the rank map for this host
 * @param gpus number of GPUs of the host
 * @throws HostsError if the host has too few GPUs
 */
function assignGpus(host: string, lines: readonly RankLine[], gpus: number): Map<number, number> {
  const taken = new Set(lines.map(({ gpu }) => gpu));
  const free = Array.from({ length: gpus }, (_, gpu) => gpu).filter((gpu) => !taken.has(gpu));
  return new Map(
    lines.map(({ rank, gpu: named }) => {
      const gpu = named ?? free.shift();
      if (gpu === undefined) throw new HostsError(`the rank map leaves no GPU of ${host} for rank ${rank}`);
      return [rank, gpu];
    }),
  );
}

/**
 * Returns CPUs, memory nodes and GPU of each rank on a host, in ascending order of ranks; null if `bind` is null and the map names
 * neither CPUs nor GPUs. If the rank map names only GPUs, `bind` still sets the CPUs.
 * @param ranks ranks of the host, ascending
 * @param lines lines of the rank map for this host; empty without a map
 * @param bind value of --bind; null = not given
 * @param gpus number of GPUs of the host, if each rank uses one; null = ranks use none
 * @throws HostsError if the binding is impossible, or both map and `bind` set CPUs
 */
export function bindRanks(
  host: string,
  ranks: readonly number[],
  lines: readonly RankLine[],
  bind: BindingPolicy | null,
  gpus: number | null,
  hostCpus: HostCpus,
): RankPlacement[] | null {
  const isMapped = lines.some(({ cpus }) => cpus !== null);
  const picksGpus = lines.some(({ gpu }) => gpu !== null);
  if (isMapped && bind !== null) {
    throw new HostsError(
      `--bind ${bind} and the CPUs of the rank map both set where ranks run`,
      null,
      'leave out one of them',
    );
  }
  if (picksGpus && gpus === null) {
    throw new HostsError(
      'the rank map names GPUs, and the ranks of the cpu engine have none',
      null,
      '--engine nccl, or a rank map without GPUs (rank -> host::cpus)',
    );
  }
  if (bind === null && !isMapped && !picksGpus) return null;
  const sorted = [...lines].sort((a, b) => a.rank - b.rank);
  const gpuOf = picksGpus && gpus !== null ? assignGpus(host, sorted, gpus) : new Map<number, number>();
  const placements = isMapped
    ? mapped(host, sorted, hostCpus)
    : bind === 'core'
      ? byCore(host, ranks, hostCpus)
      : bind === 'numa'
        ? byNode(host, ranks, gpuOf, hostCpus)
        : bind === 'none' || bind === null
          ? ranks.map((rank) => ({ rank, cpus: '', memoryNodes: '' }))
          : byList(host, ranks, bind, hostCpus);
  return placements.map((place) => {
    const gpu = gpuOf.get(place.rank);
    return gpu === undefined ? place : { ...place, gpu };
  });
}

const maxLines = 8;

/**
 * Returns the binding as text for the user: one line per rank, at most eight, then a line with the number of further ranks. A
 * single line if no rank is bound to a CPU or has a chosen GPU; empty without placements.
 */
export function bindingText(
  hosts: readonly { name: string; placements?: readonly RankPlacement[] | undefined }[],
): string[] {
  const lines = hosts.flatMap(({ name, placements = [] }) =>
    placements.flatMap(({ rank, cpus, memoryNodes, gpu }) => {
      const what = [
        ...(gpu === undefined ? [] : [`GPU ${gpu}`]),
        ...(cpus === '' ? ['no CPU of its own'] : [`CPU ${cpus}`]),
        ...(memoryNodes === '' ? [] : [`memory of node ${memoryNodes}`]),
      ];
      return [`rank ${rank} on ${name}: ${what.join(', ')}`];
    }),
  );
  if (
    hosts.every(({ placements = [] }) =>
      placements.every(({ cpus, gpu }) => cpus === '' && gpu === undefined),
    )
  )
    return lines.length === 0 ? [] : ['ranks are not bound to CPUs'];
  if (lines.length <= maxLines) return lines;
  return [...lines.slice(0, maxLines), `... and ${lines.length - maxLines} more ranks, all in run.json`];
}
