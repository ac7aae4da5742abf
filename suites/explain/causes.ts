// Suspected causes of lost time: a row of an engine says by which changes of the command each could go.
import type { ExplainedOperation, Intervention } from './variants.ts';

/**
 * Changes of the command that may take the cause away; or the reason why none can be tried; or the fact by which the cause is not
 * at work here (`absent`).
 */
export type Interventions = { changes: readonly Intervention[] } | { reason: string } | { absent: string };

/** Load of one CPU by other processes. */
export interface CpuLoad {
  cpu: number;
  /** Lowest CPU number of its core; two CPUs with the same number are hardware threads of one core. */
  core: number;
  /** Busy share, 0 to 1, at a time when no rank ran. */
  share: number;
}

/** Facts about the machine of a run. */
export interface ExplainedMachine {
  /** CPUs that the ranks may use, on the host that has the fewest. */
  cpus: number;
  /** Most ranks on one host. */
  ranks: number;
  /** CPUs that the ranks may use, with their load; empty if it is not known. */
  loads: readonly CpuLoad[];
  /** Largest buffer in bytes that the kernel gives a TCP connection (tcp_rmem, tcp_wmem); null if not known. */
  maxBufferBytes: number | null;
}

/** Reason to suspect a cause, from figures that a run recorded without extra cost. */
export interface Suspicion {
  /** Upper bound of the share of the time that the cause could explain, 0 to 1. */
  share: number;
  /** The recorded figures: "0.9 of 2 CPUs are used by other processes". */
  text: string;
}

export interface CauseRow {
  id: string;
  /** The cause as a noun phrase. */
  title: string;
  /** True if the cause may stop few operations for long, which the mean time back to back shows and no median. */
  stops?: true;
  /** Figures that speak for the cause, from the recorded run; absent or null = none. Causes with a larger share are tried first. */
  suspicion?(operation: ExplainedOperation, machine: ExplainedMachine): Suspicion | null;
  interventions(operation: ExplainedOperation, machine: ExplainedMachine): Interventions;
}
