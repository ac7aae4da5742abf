import type { MachineReport } from '../machine/index.ts';
import type { TransportName } from '../schema/index.ts';
import type { CheckResult, DoctorRequest, TransportProbe } from './check.ts';

/** Facts about one machine of several. */
export interface HostView {
  name: string;
  /** Report of the machine; null if it did not answer, and `unreached` says why. */
  machine: MachineReport | null;
  unreached: string | null;
  agentVersion: string | null;
  /** Results of its engines' probes of transports. */
  probed: readonly TransportProbe[];
  /** Network interface that the user named for this host; null if none. */
  interface: string | null;
  /** Address where its ranks would listen; null if not tried. */
  door: { interface: string; address: string; port: number; problem: string } | null;
  /** Its wall clock minus that of the first host, ms; null if not measured. */
  clock: { offsetMs: number; uncertaintyMs: number } | null;
}

/** An attempt to connect from one host to the listener of another. */
export interface HostConnection {
  from: string;
  to: string;
  /** One of: through, refused, unanswered, stalled, unreachable, failed (native/agent/forensics/reachability.h). */
  outcome: string;
  detail: string;
  connectNs: number;
  elapsedNs: number;
  pathMtu: number | null;
  segmentBytes: number | null;
}

export interface ClusterView {
  hosts: HostView[];
  knocks: HostConnection[];
  /** Number of ordered pairs of hosts that were not tried, because there are too many. */
  untried: number;
}

/** A check of all machines together. Pure. */
export interface ClusterCheck {
  id: string;
  title: string;
  transports: readonly TransportName[] | 'all';
  why: string;
  /** Returns null if there is nothing that the check applies to. */
  look(view: ClusterView, asked: DoctorRequest): CheckResult | null;
}
