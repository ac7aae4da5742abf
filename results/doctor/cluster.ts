import type { MachineReport } from '../machine/index.ts';
import type { TransportName } from '../schema/index.ts';
import type { CheckResult, DoctorRequest, TransportProbe } from './check.ts';

/** The data about one host when several are checked together. */
export interface HostView {
  name: string;
  /**
   * Report of the machine. Null if the host did not answer: `unreached` is then the reason as text, otherwise null.
   * `agentVersion`: null if the host did not answer.
   */
  machine: MachineReport | null;
  unreached: string | null;
  agentVersion: string | null;
  /** Answers of the host's engines to the question which transports they can use. */
  probed: readonly TransportProbe[];
  /** Network interface that the user named for this host alone; null if none. The interface for all hosts is in `DoctorRequest`. */
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

/**
 * A test connection from one host (`from`) to the listening socket of another (`to`). `connectNs`: time until it was made;
 * `elapsedNs`: until all bytes had come back. `detail`: error text of the system, "" = none. `pathMtu`, `segmentBytes`: path MTU
 * and largest TCP segment in bytes; null = not known.
 */
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
  /**
   * Returns the result of the check over all hosts together; null if there is nothing to compare, for example with a single
   * machine.
   */
  look(view: ClusterView, request: DoctorRequest): CheckResult | null;
}
