import { foldNames, foldNumbers } from '../../results/fold.ts';
import { formatCount, plural } from '../../results/units.ts';
import { HostsError } from './error.ts';
import type { HostSpec } from './host.ts';
import type { RankLine } from './rank-map.ts';

/** The ranks of one host in the plan, and its network interface. */
export interface HostPlacement {
  name: string;
  /** Ranks of the host, ascending; never empty. */
  ranks: number[];
  /** Network interface for the host's data connections; null = not specified. */
  iface: string | null;
}

/** Maximum number of ranks of a run on several hosts, as in the messages to the agents. */
export const maxRunRanks = 4096;

/** Options that decide which rank runs on which host. `ranksPerNode`: number of ranks on each host; null = not given. */
export interface PlacementOptions {
  /** Number of ranks; null = as many as the hosts have room for. */
  ranks: number | null;
  ranksPerNode: number | null;
  /** Number of GPUs per host, in the order of hosts, if each rank uses one; null = ranks use no GPU, or share GPUs. */
  gpus: readonly number[] | null;
  /** `block`: fill one host after another. `node`: give ranks to the hosts in turn. Otherwise the lines of a rank map file. */
  map: 'block' | 'node' | readonly RankLine[];
  /** Network interface for hosts that specify none; null = not specified. */
  iface: string | null;
}

/**
 * Returns the maximum number of ranks of a host, the smaller of its slots and its GPUs, and the reason for this limit ("2 GPUs").
 * Null = no limit.
 * @param gpus number of GPUs of the host; undefined = it does not limit the ranks
 */
function limitOf(host: HostSpec, gpus: number | undefined): { most: number; why: string } | null {
  const { slots } = host;
  if (gpus !== undefined && (slots === null || gpus < slots)) return { most: gpus, why: plural(gpus, 'GPU') };
  return slots === null ? null : { most: slots, why: plural(slots, 'slot') };
}

/**
 * Returns the number of ranks for which each host has room, in the order of `hosts`: `--ranks-per-node` or, without it, the limit
 * of each host. If no host has a limit and `--ranks` is given, its ranks are spread evenly, with the remainder on the first hosts.
 * Otherwise a host without a limit has room for one rank.
 * @throws HostsError if `--ranks-per-node` exceeds a host's limit
 */
function roomOf(hosts: readonly HostSpec[], options: PlacementOptions): number[] {
  const { ranksPerNode, ranks, gpus } = options;
  const limits = hosts.map((host, i) => limitOf(host, gpus?.[i]));
  if (ranksPerNode !== null) {
    for (const [i, limit] of limits.entries()) {
      if (limit === null || ranksPerNode <= limit.most) continue;
      throw new HostsError(
        `${plural(ranksPerNode, 'rank')} per node, but ${hosts[i]?.name} has ${limit.why}`,
        null,
        `--ranks-per-node ${limit.most}${limit.why.includes('slot') ? `, or ${hosts[i]?.name}:slots=${ranksPerNode}` : ''}`,
      );
    }
    return hosts.map(() => ranksPerNode);
  }
  // No host has a limit: ranks are spread evenly.
  if (ranks !== null && limits.every((limit) => limit === null)) {
    const [each, more] = [Math.floor(ranks / hosts.length), ranks % hosts.length];
    return hosts.map((_, i) => each + (i < more ? 1 : 0));
  }
  return limits.map((limit) => limit?.most ?? 1);
}

/**
 * Returns the number of ranks to place: `--ranks` or, if it is not given, as many as all hosts have room for.
 * @param rooms number of ranks for which each host has room
 * @throws HostsError if the hosts have too little room; the text names both numbers and a way to fix it
 */
function requireRoom(
  hosts: readonly HostSpec[],
  rooms: readonly number[],
  options: PlacementOptions,
): number {
  const room = rooms.reduce((sum, one) => sum + one, 0);
  const ranks = options.ranks ?? room;
  if (room === 0) throw new HostsError(`no room for a rank on ${foldNames(hosts.map(({ name }) => name))}`);
  if (ranks <= room) return ranks;
  const perNode = Math.ceil(ranks / hosts.length);
  const byGpus = options.gpus?.some((gpus, i) => gpus === rooms[i]) === true;
  const [what, next] =
    options.ranksPerNode !== null
      ? [
          `${plural(options.ranksPerNode, 'rank')} per node`,
          `--ranks ${room}, --ranks-per-node ${perNode}, or more hosts`,
        ]
      : byGpus
        ? [plural(room, 'GPU'), `--ranks ${room}, or more hosts`]
        : [plural(room, 'slot'), `--ranks ${room}, more hosts, or more slots: --hosts HOST:slots=${perNode}`];
  const names = foldNames(hosts.map(({ name }) => name));
  throw new HostsError(
    `${ranks} ranks, but ${plural(hosts.length, 'host')} (${names}) with ${what} have room for ${room}`,
    null,
    next,
  );
}

/**
 * Checks that the number of ranks does not exceed the limit of a run (`maxRunRanks`).
 * @param hosts hosts of the run; the error says how many they are
 * @throws HostsError if it does
 */
function requireRunnable(ranks: number, hosts: readonly HostSpec[]): void {
  if (ranks <= maxRunRanks) return;
  throw new HostsError(
    `${formatCount(ranks)} ranks on ${plural(hosts.length, 'host')}: a run has at most ${formatCount(maxRunRanks)}`,
    null,
    `--ranks ${maxRunRanks}, or fewer hosts or slots`,
  );
}

/**
 * Distributes ranks 0, 1, ... over hosts and returns the ranks of each host, ascending, in the order of `rooms`. Ranks beyond the
 * room of all hosts are left out.
 * @param rooms number of ranks for which each host has room
 * @param isByNode true: ranks are given to the hosts in turn; false: one host is filled after another
 */
function deal(rooms: readonly number[], ranks: number, isByNode: boolean): number[][] {
  const dealt: number[][] = rooms.map(() => []);
  const widest = Math.max(...rooms);
  const hosts = [...rooms.keys()];
  // Host index of each seat, in the order in which ranks take the seats.
  const seats = isByNode
    ? Array.from({ length: widest }, (_, turn) => hosts.filter((i) => turn < (rooms[i] ?? 0))).flat()
    : hosts.flatMap((i) => new Array<number>(rooms[i] ?? 0).fill(i));
  for (const [rank, host] of seats.slice(0, ranks).entries()) dealt[host]?.push(rank);
  return dealt;
}

/**
 * Returns the ranks of each host in ascending order, as the rank map says, in the order of `hosts`; an empty list for a host that
 * the map does not name.
 * @param lines lines of the rank map file, one per rank
 * @throws HostsError if the number of ranks, GPUs, slots or other options contradict the map
 */
function mapped(
  hosts: readonly HostSpec[],
  lines: readonly RankLine[],
  options: PlacementOptions,
): number[][] {
  if (options.ranks !== null && options.ranks !== lines.length) {
    throw new HostsError(
      `the rank map has ${lines.length} ranks, and ${options.ranks} are asked for`,
      null,
      `leave out --ranks, or --ranks ${lines.length}`,
    );
  }
  if (options.ranksPerNode !== null) {
    throw new HostsError('the rank map and --ranks-per-node both place the ranks', null, 'leave out one');
  }
  return hosts.map((host, i) => {
    const mine = lines.filter((line) => line.host === host.name);
    const gpus = options.gpus?.[i];
    const beyond = mine.find(({ gpu }) => gpu !== null && gpus !== undefined && gpu >= gpus);
    if (beyond !== undefined) {
      throw new HostsError(
        `the rank map gives GPU ${beyond.gpu} of ${host.name} to rank ${beyond.rank}, and it has ${plural(gpus ?? 0, 'GPU')}`,
      );
    }
    const limit = limitOf(host, gpus);
    if (limit !== null && mine.length > limit.most) {
      throw new HostsError(
        `the rank map puts ${mine.length} ranks on ${host.name}, which has ${limit.why}`,
        null,
        limit.why.includes('slot') ? `--hosts ${host.name}:slots=${mine.length}` : null,
      );
    }
    return mine.map(({ rank }) => rank).sort((a, b) => a - b);
  });
}

/**
 * Decides which rank runs on which host. A rank map decides alone. Without one, a host has room for `ranksPerNode` ranks or, if
 * this is not given, for the smaller of its numbers of slots and GPUs. If no host has a limit, `ranks` are spread evenly (with
 * `block`, neighbours share a host). Otherwise a host without limit has room for one rank. Without `ranks`, each host gets as many
 * ranks as it has room for. Hosts without a rank are left out.
 * @param hosts at least one
 * @throws HostsError if there is too little room, there are more ranks than a run may have, or a rank map contradicts the other
 * options
 */
export function placeRanks(hosts: readonly HostSpec[], options: PlacementOptions): HostPlacement[] {
  let dealt: number[][];
  if (options.map === 'block' || options.map === 'node') {
    const rooms = roomOf(hosts, options);
    const ranks = requireRoom(hosts, rooms, options);
    requireRunnable(ranks, hosts);
    dealt = deal(rooms, ranks, options.map === 'node');
  } else {
    requireRunnable(options.map.length, hosts);
    dealt = mapped(hosts, options.map, options);
  }
  return hosts.flatMap((host, i) => {
    const ranks = dealt[i] ?? [];
    return ranks.length === 0 ? [] : [{ name: host.name, ranks, iface: host.iface ?? options.iface }];
  });
}

/** Maximum number of hosts whose ranks are listed one by one; for more hosts only a summary is printed. */
const fewHosts = 4;

const ranksText = (ranks: readonly number[]): string =>
  `${ranks.length === 1 ? 'rank' : 'ranks'} ${foldNumbers(ranks)}`;

/**
 * Returns the placement as text in a few lines: "ranks 0-7 on gpu01, 8-15 on gpu02". Of more than `fewHosts` hosts the numbers of
 * ranks, and as examples the first two and the last. Lines about network interfaces follow.
 * @param hosts all hosts that the user gave; those without ranks are named in a last line. Empty = no such line
 * @param placed hosts with ranks
 */
export function placementText(placed: readonly HostPlacement[], hosts: readonly HostSpec[] = []): string[] {
  const lines: string[] = [];
  const on = (host: HostPlacement, isFirst: boolean) =>
    `${isFirst ? ranksText(host.ranks) : foldNumbers(host.ranks)} on ${host.name}`;
  const [first] = placed;
  const last = placed.at(-1);
  if (placed.length <= fewHosts || first === undefined || last === undefined) {
    lines.push(placed.map((host, i) => on(host, i === 0)).join(', '));
  } else {
    const sizes = new Map<number, string[]>();
    for (const { name, ranks } of placed) sizes.set(ranks.length, [...(sizes.get(ranks.length) ?? []), name]);
    for (const [size, names] of sizes) {
      lines.push(`${plural(size, 'rank')} ${names.length > 1 ? 'each ' : ''}on ${foldNames(names)}`);
    }
    const second = placed[1] as HostPlacement;
    lines.push(`${on(first, true)}, ${on(second, false)}, ... ${on(last, false)}`);
  }
  const interfaces = new Map<string, string[]>();
  for (const { name, iface } of placed) {
    if (iface !== null) interfaces.set(iface, [...(interfaces.get(iface) ?? []), name]);
  }
  for (const [iface, names] of interfaces) lines.push(`data over ${iface} on ${foldNames(names)}`);
  const used = new Set(placed.map(({ name }) => name));
  const idle = hosts.map(({ name }) => name).filter((name) => !used.has(name));
  if (idle.length > 0) lines.push(`no rank on ${foldNames(idle)}`);
  return lines;
}
