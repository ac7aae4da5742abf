import type { MachineReport } from '../machine/index.ts';
import type { TransportName } from '../schema/index.ts';
import type { CheckResult, DoctorRequest, TransportProbe } from './check.ts';

/** The data about one host when several are checked together. */
export interface HostView {
  name: string;
  /** Report of the machine; null if the host did not answer, `unreached` then says why. */
  machine: MachineReport | null;
  unreached: string | null;
  agentVersion: string | null;
  /** Answers of the host's engines to the question which transports they can use. */
  probed: readonly TransportProbe[];
  /** Network interface that the user named for this host; null if none. */
  interface: string | null;
  /**
   * Interface, address and port of the listening socket that was opened on this host for test connections, on the address that the
   * host's ranks would use. `problem` is the reason why it could not be opened, "" if it was opened. Null if this was not tried.
   */
  listener: { interface: string; address: string; port: number; problem: string } | null;
  /**
   * Wall clock of this host minus that of the first host that opened a listening socket (`offsetMs`), and the largest error of this
   * difference (`uncertaintyMs`), milliseconds; null if not measured.
   */
  clock: { offsetMs: number; uncertaintyMs: number } | null;
}

/** A test connection from one host to the listening socket of another. */
export interface HostConnection {
  from: string;
  to: string;
  /** "through" if the connection worked; otherwise refused, unanswered, stalled (connected, no answer), unreachable or failed. */
  outcome: string;
  detail: string;
  connectNs: number;
  elapsedNs: number;
  pathMtu: number | null;
  segmentBytes: number | null;
}

export interface ClusterView {
  hosts: HostView[];
  connections: HostConnection[];
  /** Number of ordered pairs of hosts with a listening socket that were not tested, because there are too many. */
  untriedPairs: number;
}

/**
 * A check of `collbench doctor` that compares all machines, or tests the connections between them. The result depends only on the
 * arguments of `look`.
 */
export interface ClusterCheck {
  id: string;
  title: string;
  transports: readonly TransportName[] | 'all';
  why: string;
  /** Returns the result of the check; null if there is nothing to compare, for example with a single machine. */
  look(view: ClusterView, request: DoctorRequest): CheckResult | null;
}
