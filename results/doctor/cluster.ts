import type { MachineReport } from '../machine/index.ts';
import type { TransportName } from '../schema/index.ts';
import type { CheckResult, DoctorRequest, TransportProbe } from './check.ts';

/** One machine of several. */
export interface HostView {
  name: string;
  /** null = it could not be asked, `unreached` says why. */
  machine: MachineReport | null;
  unreached: string | null;
  agentVersion: string | null;
  /** What its engines say of transports. */
  probed: readonly TransportProbe[];
  /** Network interface that was named for it alone; null = none was. */
  interface: string | null;
  /** Where its ranks would listen; null = not tried. */
  door: { interface: string; address: string; port: number; problem: string } | null;
  /** Its wall clock minus that of the first host; null = not measured. */
  clock: { offsetMs: number; uncertaintyMs: number } | null;
}

/** A try to reach the door of one host from another. */
export interface HostConnection {
  from: string;
  to: string;
  /** through, refused, unanswered, stalled, unreachable, failed (native/agent/forensics/reachability.h). */
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
  /** Ordered pairs of hosts that were not tried, because there are so many. */
  untried: number;
}

/** A look at all machines together. Pure. */
export interface ClusterCheck {
  id: string;
  title: string;
  transports: readonly TransportName[] | 'all';
  why: string;
  /** null = there is nothing that it could be about. */
  look(view: ClusterView, asked: DoctorRequest): CheckResult | null;
}
