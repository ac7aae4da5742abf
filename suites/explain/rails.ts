// Rails: several interfaces of equal speed between the same hosts, of which one may carry all bytes, or slow the others down.
import { areUneven, railsText } from '../../results/derive/index.ts';
import { type HostRails, transportRow } from '../../results/schema/index.ts';
import type { CauseRow } from './causes.ts';
import type { ExplainedOperation } from './variants.ts';

/** The rails of the host whose rails share the bytes least evenly; null if no host has several rails. */
export function worstRails({ rails = [] }: ExplainedOperation): HostRails | null {
  const [worst] = rails.toSorted((a, b) => fullness(b) - fullness(a));
  return worst ?? null;
}

/** Bytes of the busiest rail divided by the mean of all rails: from 1 (even) to the number of rails. */
const fullness = ({ rails }: HostRails): number =>
  (Math.max(...rails.map(({ bytes }) => bytes)) * rails.length) /
  rails.reduce((sum, { bytes }) => sum + bytes, 0);

/** Title of the experiment in which only one rail carries data. @param name network interface of the rail: "eth0" */
export const railTitle = (name: string): string => `${name} alone`;

/**
 * The cause that the rails between hosts are unequally used or unequally fast. Each experiment uses one rail alone, so each rail
 * gets a verdict. There are experiments only for transports over TCP, because --interface chooses no RDMA port.
 */
export const railsCause: CauseRow = {
  id: 'rails',
  title: 'unequal rails between the hosts',
  suspicion(operation) {
    const worst = worstRails(operation);
    if (worst === null || !areUneven(worst)) return null;
    return { share: 1 - 1 / fullness(worst), text: `${railsText(worst)} on ${worst.host}` };
  },
  interventions(operation) {
    const worst = worstRails(operation);
    if ((operation.hosts?.length ?? 0) < 2) return { absent: 'all ranks are on one machine' };
    if (worst === null) return { absent: 'no host is known to have several interfaces to the others' };
    if (!areUneven(worst)) return { absent: `${railsText(worst)}: even` };
    // Transports other than TCP count bytes at RDMA ports, which --interface cannot choose.
    if (transportRow(operation.transport)?.evidence !== 'interface')
      return {
        reason: `${railsText(worst)}; ports are chosen by variables of the library, such as NCCL_IB_HCA`,
      };
    return {
      changes: worst.rails.map(({ name }) => ({
        title: railTitle(name),
        change: { interface: name },
      })),
    };
  },
};
