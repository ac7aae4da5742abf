import type { MachineReport } from '../machine/index.ts';
import type { DoctorReport } from '../schema/index.ts';
import type { CheckResult, CheckRow, DoctorRequest, TransportProbe } from './check.ts';

type ReportedHost = DoctorReport['hosts'][number];

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
  listener: ReportedHost['listener'];
  clock: ReportedHost['clock'];
}

/** A test connection from one host (`from`) to the listening socket of another (`to`). */
export type HostConnection = DoctorReport['connections'][number];

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
export interface ClusterCheck extends CheckRow {
  /**
   * Returns the result of the check over all hosts together; null if there is nothing to compare, for example with a single
   * machine.
   */
  look(view: ClusterView, request: DoctorRequest): CheckResult | null;
}
