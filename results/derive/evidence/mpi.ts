import { type Evidence, type TransportPlan, transportRow } from '../../schema/index.ts';
import { bytesText } from '../../units.ts';

/** What was counted around the blocks of a cell. */
interface MpiByteCounts {
  /** What any algorithm must move at least, bytes. */
  expected: number;
  /** Received by the TCP sockets of the ranks' processes; null where the kernel does not say. */
  own: number | null;
  /** Sockets that closed meanwhile: what they received is not told, so `own` is the least. */
  socketsGone: number;
  /** Bytes received per interface. */
  interfaces: Record<string, number>;
}

/**
 * Whether an MPI moved its bytes the way that it was told to. It is a foreign library: what it says of itself proves nothing,
 * and its algorithms are not known. The kernel counts what the sockets of its processes receive.
 * - TCP: they, and the interface, received at least what any algorithm must move.
 * - any other way: the interfaces carried, or the sockets received, less than that, so the rest did not pass a network.
 */
export function mpiEvidence(
  transport: TransportPlan,
  { expected, own, socketsGone, interfaces }: MpiByteCounts,
  interfaceName: string,
): Evidence {
  const due = `any algorithm must move ${bytesText(expected)}`;
  const isTcp = transportRow(transport.name)?.evidence === 'interface';
  const most = Math.max(...Object.values(interfaces));
  const isTold = own !== null && socketsGone === 0;
  if (!isTcp && !isTold && most >= 0 && most < expected)
    return { verdict: 'confirmed', reason: `no interface carried more than ${bytesText(most)}, ${due}` };
  if (own === null) {
    return { verdict: 'unproven', reason: `the kernel does not count the sockets of the ranks; ${due}` };
  }
  const closed =
    socketsGone === 0 ? '' : `; ${socketsGone} more closed during the block, whose bytes are not known`;
  const sockets = `the TCP sockets of the ranks received ${bytesText(own)}${closed}`;
  if (socketsGone > 0 && own < expected) return { verdict: 'unproven', reason: `${sockets}; ${due}` };
  if (!isTcp) {
    return own < expected
      ? { verdict: 'confirmed', reason: `${sockets}, ${due}: no network carried them` }
      : { verdict: 'contradicted', reason: `${sockets}, ${due}: they went over TCP` };
  }
  const carried = interfaces[interfaceName];
  if (carried === undefined) {
    return { verdict: 'unproven', reason: `interface ${interfaceName} was not watched; ${sockets}; ${due}` };
  }
  const seen = `${sockets}, ${interfaceName} carried ${bytesText(carried)}, ${due}`;
  return { verdict: own < expected || carried < expected ? 'contradicted' : 'confirmed', reason: seen };
}
