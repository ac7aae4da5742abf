// Possible causes of lost time. Each engine lists the causes that it can have, and which changes of the command may remove each.
import type { ExplainedOperation, Intervention } from './variants.ts';

/**
 * Experiments for a cause: `changes` of the command, each of which may remove the cause. Otherwise a phrase for the report: the
 * `reason` why none can be tried, or the fact that rules the cause out (`absent`).
 */
export type Interventions = { changes: readonly Intervention[] } | { reason: string } | { absent: string };

/** Load of one CPU of this machine, caused by processes other than the ranks. */
export interface CpuLoad {
  cpu: number;
  /** Lowest CPU number of its core; two CPUs with the same number are hardware threads of one core. */
  core: number;
  /** Busy share of the CPU, 0 to 1, at a time when no rank ran. */
  share: number;
}

/** Facts about the hosts of a run that experiments need. */
export interface ExplainedMachine {
  /** Number of CPUs that the ranks may use, on the host with the fewest. */
  cpus: number;
  /** Highest number of ranks on any host. */
  ranks: number;
  /** Number of NUMA nodes, on the host with the most; 1 if it is unknown. */
  numaNodes: number;
  /** CPUs of this machine that the ranks may use, with their load; empty if it is unknown, or if the run used named hosts. */
  loads: readonly CpuLoad[];
  /**
   * Largest buffer in bytes that the kernel of this machine gives a TCP connection: the lower of the limits in tcp_rmem and
   * tcp_wmem. Null = unknown, or the run used named hosts.
   */
  maxBufferBytes: number | null;
}

/** Reason to suspect a cause, from figures of the explained run. No experiment is needed for it. */
export interface Suspicion {
  /** Highest share of the operation's time that the cause could explain, 0 to 1. */
  share: number;
  /** The recorded figures as text: "0.9 of 2 CPUs are used by other processes". */
  text: string;
}

export interface CauseRow {
  id: string;
  /** The cause as a noun phrase, for reports: "the algorithm". */
  title: string;
  /**
   * True if the cause may stop a few operations for a long time. Such stops show in the mean time of operations back to back, but
   * not in a median.
   */
  stops?: true;
  /**
   * Returns the recorded figures that speak for the cause, with the share of the time that they could explain; absent or null =
   * there are none. Causes with a larger share are tried first.
   */
  suspicion?(operation: ExplainedOperation, machine: ExplainedMachine): Suspicion | null;
  interventions(operation: ExplainedOperation, machine: ExplainedMachine): Interventions;
}
