import { type Evidence, type TransportPlan, transportRow } from '../../schema/index.ts';
import { bytesText, joinWords } from '../../units.ts';
import { type CarriedBytes, confirmed, contradicted, unproven } from './interfaces.ts';
import type { TrafficCounts } from './traffic.ts';

/**
 * Bytes counted by the kernel while one configuration was measured. `expected`: lowest number of bytes that any algorithm must move
 * between ranks for all operations.
 */
type MpiByteCounts = Pick<TrafficCounts, 'own' | 'socketsGone' | 'interfaces'> & { expected: number };

/**
 * Judges whether MPI used the requested path. MPI is a foreign library: what it reports proves nothing, and its algorithms are
 * unknown. The kernel counts the bytes that the sockets of its processes receive.
 * - TCP: the sockets, and the interfaces of all hosts, received at least the minimum of any algorithm.
 * - UCX: as TCP. In addition UCX must have reported lanes in each launch, all of them TCP; another lane is `contradicted`.
 * - any other path: the interfaces carried, or the sockets received, less than this minimum, so the rest did not pass a network.
 * - counts that are unknown, or too low because sockets closed: `unproven`. Counts that show the opposite: `contradicted`.
 * @param carried bytes on the transport's interfaces; evidence with the reason if an interface was not watched
 * @param lanes number of endpoint configurations by lane that UCX reported ("UCX/tcp/eth0"), by launch
 */
export function mpiEvidence(
  transport: TransportPlan,
  counts: MpiByteCounts,
  carried: CarriedBytes | Evidence,
  lanes: ReadonlyMap<number, Record<string, number>>,
): Evidence {
  const found = pathEvidence(transport, counts, carried);
  if (transport.name !== 'ucx' || found.verdict === 'contradicted') return found;
  const names = [...lanes.values()].map((paths) => Object.keys(paths));
  const other = names.flat().find((name) => !name.startsWith(ucxOverTcp));
  if (other !== undefined) return contradicted(`UCX reported the lane ${other.slice(4)}; ${found.reason}`);
  if (names.length === 0 || names.some((own) => own.length === 0))
    return unproven(`UCX reported no lane; ${found.reason}`);
  const all = joinWords([...new Set(names.flat())].map((name) => name.slice(4)));
  return { ...found, reason: `UCX reported ${all}; ${found.reason}` };
}

/** Prefix of the names that UCX's TCP lanes have in a block's paths: "UCX/tcp/eth0" (native/engines/mpi/ucx_report.h). */
const ucxOverTcp = 'UCX/tcp/';

function pathEvidence(
  transport: TransportPlan,
  { expected, own, socketsGone, interfaces }: MpiByteCounts,
  carried: CarriedBytes | Evidence,
): Evidence {
  const due = `any algorithm must move ${bytesText(expected)}`;
  const isTcp = transportRow(transport.name)?.evidence === 'interface';
  const most = Math.max(...Object.values(interfaces));
  const isTold = own !== null && socketsGone === 0;
  if (!isTcp && !isTold && most >= 0 && most < expected)
    return confirmed(`no interface carried more than ${bytesText(most)}, ${due}`);
  if (own === null) {
    return unproven(`the kernel does not count the sockets of the ranks; ${due}`);
  }
  const closed =
    socketsGone === 0 ? '' : `; ${socketsGone} more closed during the block, whose bytes are not known`;
  const sockets = `the TCP sockets of the ranks received ${bytesText(own)}${closed}`;
  if (socketsGone > 0 && own < expected) return unproven(`${sockets}; ${due}`);
  if (!isTcp) {
    return own < expected
      ? confirmed(`${sockets}, ${due}: no network carried them`)
      : contradicted(`${sockets}, ${due}: they went over TCP`);
  }
  if ('verdict' in carried) return { ...carried, reason: `${carried.reason}; ${sockets}; ${due}` };
  const { names, bytes } = carried;
  return {
    verdict: own < expected || bytes < expected ? 'contradicted' : 'confirmed',
    reason: `${sockets}, ${names} carried ${bytesText(bytes)}, ${due}`,
  };
}
