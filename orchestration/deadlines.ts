import type { RunPlan } from '../results/schema/index.ts';
import { planningOf } from '../suites/engines/index.ts';

/** Timeouts of a run, milliseconds. */
export interface Deadlines {
  /** Time from the agent's start to its first message. */
  helloMs: number;
  /** Time from the start of rank processes until all are connected; enforced by the agent. */
  launchMs: number;
  /** Time for one block; enforced by the agent. */
  measureMs: number;
  /**
   * Extra time that the controller waits beyond the agent's deadline: the agent needs it to collect stacks and logs of hung
   * ranks.
   */
  marginMs: number;
  /** Time to answer `probe`. */
  probeMs: number;
  /** Time for the orderly end of one launch. */
  stopMs: number;
  /** Time to deliver the last metric readings. */
  sampledMs: number;
  /** Interval of keepalives between a remote agent and the controller; the agent exits after six without an answer. */
  beatMs: number;
  /** Time without any message after which a remote agent counts as lost. It is long because probing GPUs blocks an agent. */
  unheardMs: number;
  /** Time for the agent to end after its stdin closes; `termMs`: after SIGTERM. */
  endMs: number;
  termMs: number;
}

export const defaultDeadlines: Omit<Deadlines, 'launchMs' | 'measureMs'> = {
  helloMs: 10_000,
  marginMs: 15_000,
  probeMs: 10_000,
  stopMs: 8_000,
  sampledMs: 3_000,
  beatMs: 5_000,
  unheardMs: 75_000,
  endMs: 3_000,
  termMs: 2_000,
};

/**
 * Deadlines of a plan. `--timeout` sets the time for a block and also for the start of the ranks. Workers of frameworks have
 * --join-timeout for their start.
 */
export function deadlinesOf(plan: RunPlan, overrides: Partial<Deadlines> = {}): Deadlines {
  const phaseMs = Math.max(1, Math.ceil(plan.sampling.timeoutS * 1000));
  const { joinTimeout } = plan.settings;
  const launchMs =
    joinTimeout === undefined
      ? Math.max(phaseMs, planningOf(plan).patience.launchMs)
      : Number(joinTimeout) * 1000;
  return { ...defaultDeadlines, launchMs, measureMs: phaseMs, ...overrides };
}
