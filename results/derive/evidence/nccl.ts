import {
  type BlockRecord,
  type Evidence,
  type PointPlan,
  type RunPlan,
  type TransportPlan,
  transportOf,
  workloadOf,
} from '../../schema/index.ts';
import { bytesText } from '../../units.ts';
import { choicesOf, isOtherWord, launchPaths } from '../cells/choices.ts';
import { confirmed, contradicted, unproven } from './interfaces.ts';

interface NcclPath {
  /** Name of the connection type in NCCL's log, for sentences: "NET/Socket". */
  text: string;
  /** True if a connection with this type in NCCL's log ("NET/Socket/0") is of this path. */
  takes(path: string): boolean;
}

const below = (...roots: string[]): NcclPath => ({
  text: roots.join(' or '),
  takes: (path) => roots.some((root) => path === root || path.startsWith(`${root}/`)),
});

/**
 * Returns a matcher that accepts a connection type of NCCL's log if `first` or `second` accepts it; messages use the text of
 * `first`.
 */
const either = (first: NcclPath, second: NcclPath): NcclPath => ({
  text: first.text,
  takes: (path) => first.takes(path) || second.takes(path),
});

/**
 * Returns the connection type that NCCL's log must show if NCCL used this transport; null for a plugin whose name in the log is not
 * known.
 */
function wayOf(transport: TransportPlan): NcclPath | null {
  const name = transportOf(transport);
  switch (name) {
    case 'p2p':
      return below('P2P', 'NVLS');
    case 'shm':
      return below('SHM');
    case 'socket':
      return below('NET/Socket');
    case 'ib':
      return below('NET/IB', 'COLLNET');
    case 'ibgda':
      return below('GIN', 'NET/IB');
    case 'sisci':
      // NCCL 2.30 and later log the plugin's GIN, even if no kernel uses it.
      return either(below(`NET/${transport.network ?? 'SISCI'}`), below('GIN/PROXY'));
    default:
      return transport.network === undefined ? null : below(`NET/${transport.network}`);
  }
}

/**
 * Judges from the connections that NCCL's log shows for each launch whether NCCL used the requested transport.
 * - The requested path must be the only one between ranks, in every launch; any other path contradicts.
 * - socket: the interface must also have carried the required bytes; sisci and software cards: their byte counts must agree, if
 * there are any.
 * - A requested algorithm or protocol must be the one that was used.
 * - A kernel on the LSA part (load/store accessible memory) of NCCL's device API can use no path other than P2P.
 * - A kernel on its GIN part, over sisci or a software card, is judged by their byte counts alone (ginEvidence()).
 * - `unproven` if the log shows no connection in a launch, for ibgda no GIN (operations posted by the GPU), or no name of a plugin,
 * algorithm or protocol.
 * @param blocks blocks of this cell, including those of the trial `attest`
 */
export function ncclEvidence(
  plan: RunPlan,
  point: PointPlan,
  transport: TransportPlan,
  blocks: readonly BlockRecord[],
): Evidence {
  const otherChoice = choiceRefused(transport, blocks);
  if (otherChoice?.verdict === 'contradicted') return otherChoice;
  const way = wayOf(transport);
  if (way === null) return unproven("the name of the plugin in NCCL's log is not known");
  if (transportOf(transport) === 'p2p' && choicesOf(blocks).choice.algorithm === 'device-api LSA') {
    return confirmed('our kernel loads and stores in the memory of every rank; NCCL moves nothing');
  }
  const isCounted = transportOf(transport) === 'sisci' || isOnSoftwareCard(transport);
  if (isCounted && choicesOf(blocks).choice.algorithm === 'device-api GIN') {
    return ginEvidence(plan, point, transport, blocks);
  }
  const launches = launchPaths(blocks);
  let connections = 0;
  for (const [launch, paths] of launches) {
    const [other] = Object.entries(paths).filter(([path]) => !way.takes(path));
    if (other !== undefined) {
      return contradicted(
        `launch ${launch + 1}: NCCL made ${other[1]} connections over ${other[0]}, ${way.text} was asked for`,
      );
    }
    const made = Object.values(paths).reduce((sum, count) => sum + count, 0);
    if (made === 0) return unproven(`launch ${launch + 1}: NCCL's log names no connection`);
    connections += made;
  }
  const starts = launches.size === 1 ? '1 launch' : `${launches.size} launches`;
  const said = `NCCL made ${connections} connections over ${way.text} in ${starts}, none other`;
  if (transportOf(transport) === 'ibgda' && ![...launches.values()].every(hasGin)) {
    return unproven(`${said}; nothing in its log shows that GPUs drove the network themselves (GIN)`);
  }
  const bytes = bytesCarried(plan, point, transport, blocks);
  if (bytes !== null && bytes.verdict !== 'confirmed') {
    return { verdict: bytes.verdict, reason: `${bytes.reason}; ${said}` };
  }
  if (otherChoice !== null) return unproven(`${said}, but ${otherChoice.reason}`);
  return confirmed(bytes === null ? said : `${said}; ${bytes.reason}`);
}

/**
 * Judges puts of NCCL's device API (GIN) by the byte counts of the plugin or software card, because NCCL's log does not show them;
 * `unproven` without such counts.
 */
function ginEvidence(
  plan: RunPlan,
  point: PointPlan,
  transport: TransportPlan,
  blocks: readonly BlockRecord[],
): Evidence {
  const bytes = bytesCarried(plan, point, transport, blocks);
  if (bytes === null) return unproven('our kernel puts over GIN, but nobody counted bytes');
  return { verdict: bytes.verdict, reason: `our kernel puts over GIN; ${bytes.reason}` };
}

const hasGin = (paths: Record<string, number>): boolean => Object.keys(paths).some(below('GIN').takes);

/**
 * Returns `contradicted` if NCCL used another algorithm or protocol than requested, `unproven` if its log does not name the one it
 * used; null if both are as requested or none was requested.
 */
function choiceRefused(transport: TransportPlan, blocks: readonly BlockRecord[]): Evidence | null {
  const { algorithm, protocol } = choicesOf(blocks).choice;
  let open: Evidence | null = null;
  for (const [what, asked, taken] of [
    ['algorithm', transport.settings?.algo, algorithm],
    ['protocol', transport.settings?.proto, protocol ?? ''],
  ] as const) {
    if (asked === undefined) continue;
    if (taken === '') open ??= unproven(`NCCL's log does not say which ${what} it took`);
    else if (isOtherWord(asked, taken)) {
      return contradicted(`NCCL took the ${what} ${taken}, ${asked} was asked for`);
    }
  }
  return open;
}

/**
 * Returns the verdict from the byte counters of a software RDMA card (softmlx5). Null if the transport uses no such card, or if the
 * number of bytes that must move is not known.
 */
export function softwareCardEvidence(
  plan: RunPlan,
  point: PointPlan,
  transport: TransportPlan,
  blocks: readonly BlockRecord[],
): Evidence | null {
  return isOnSoftwareCard(transport) ? bytesCarried(plan, point, transport, blocks) : null;
}

/**
 * Compares the bytes carried while the cell was measured with the minimum that must move: `contradicted` if fewer, else
 * `confirmed`. They are counted at the network interface (socket, on one host only), in the plugin (sisci) or in the software card
 * (ib, ibgda). Null if none of these counted or the minimum is not known.
 */
function bytesCarried(
  plan: RunPlan,
  point: PointPlan,
  transport: TransportPlan,
  blocks: readonly BlockRecord[],
): Evidence | null {
  const operations = blocks.reduce((sum, block) => sum + block.operations, 0);
  const least = workloadOf(point.workload).minMovedByAnyAlgorithm({ axes: point.axes, ranks: plan.ranks });
  if (least === null) return null;
  const due = operations * least;
  const judged = (who: string, carried: number): Evidence => {
    const reason = `${who} carried ${bytesText(carried)}, at least ${bytesText(due)} expected`;
    return carried < due ? contradicted(reason) : confirmed(reason);
  };
  const name = transportOf(transport);
  switch (name) {
    case 'socket': {
      // A library that imitates NCCL moves its bytes in memory, so the bytes on interfaces are of other programs.
      if (transport.medium === 'emulated') return null;
      if (plan.hosts.length > 1 || !interfacesCount(blocks)) return null;
      const names = socketInterfaces(transport);
      const carried = blocks.flatMap((block) => names.map((name) => block.interfaceBytes[name] ?? 0));
      return judged(
        names.join(' and '),
        carried.reduce((sum, bytes) => sum + bytes, 0),
      );
    }
    case 'ib':
    case 'ibgda':
    case 'sisci': {
      const sent = blocks.flatMap((block) => block.counters).reduce((sum, one) => sum + one.bytesSent, 0);
      // A real card does not count for collbench, and a library that imitates NCCL has no card. The software card counts all bytes.
      const counts = sent > 0 || (name !== 'sisci' && isOnSoftwareCard(transport));
      return counts ? judged(name === 'sisci' ? 'the plugin' : 'the software card', sent) : null;
    }
    default:
      return null;
  }
}

const isOnSoftwareCard = ({ medium, detail }: TransportPlan): boolean =>
  medium === 'emulated' && detail.softwareCard === 'softmlx5' && detail.isFake !== true;

/** True if at least one interface counted bytes. Some sandboxes list interfaces but leave all their counters at zero. */
const interfacesCount = (blocks: readonly BlockRecord[]): boolean =>
  blocks.some((block) => Object.values(block.interfaceBytes).some((bytes) => bytes > 0));

/**
 * Returns the names of the interfaces whose byte counters are used: lo and the requested one, without an address family after a
 * slash. Linux sends packets to an address of the same machine through lo, whatever interface has the address.
 */
function socketInterfaces({ options }: TransportPlan): string[] {
  const [named = ''] = typeof options.interface === 'string' ? options.interface.split('/', 1) : [];
  return [...new Set(['lo', named])].filter((name) => name !== '');
}
