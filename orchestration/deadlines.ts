import type { RunPlan } from '../results/schema/index.ts';
import { planningOf } from '../suites/engines/index.ts';

/** Timeouts of a run, milliseconds. */
export interface Deadlines {
  /** Maximum time from the agent's start to its first message. */
  helloMs: number;
  /** Maximum time from the start of the rank processes until all are connected; enforced by the agent. */
  launchMs: number;
  /** Maximum time without progress of any rank while a block of samples is measured; enforced by the agent. */
  measureMs: number;
  /**
   * Time that the controller waits beyond the deadline of a launch or block, which the agent enforces: the agent needs it to
   * collect stacks and logs of hung ranks.
   */
  marginMs: number;
  /**
   * Maximum time for an agent's answer to a short request: whether a transport can run (an engine may allow more), its clock, its
   * test listener.
   */
  probeMs: number;
  /** Maximum time for an agent to stop the ranks of one launch; afterwards the agent counts as lost. */
  stopMs: number;
  /** Maximum time for an agent to deliver its last readings of system metrics (CPU load, memory, ...) at the end. */
  sampledMs: number;
  /**
   * Interval at which a remote agent and the controller send each other keepalives. The agent exits after six intervals without
   * a message.
   */
  beatMs: number;
  /** Time without any message after which a remote agent counts as lost. It is long because probing GPUs blocks an agent. */
  unheardMs: number;
  /**
   * `endMs`: maximum time that the agent process may take to exit after its stdin was closed; then it gets SIGTERM. `termMs`:
   * maximum time to exit after SIGTERM; then it gets SIGKILL.
   */
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
 * Returns the timeouts for a plan. `--timeout` limits the time without progress in a block of samples. The start of the ranks gets
 * the same time, or the minimum of the engine, which may grow with the number of ranks, if that is longer. For workers of a
 * framework such as PyTorch, --join-timeout, if given, limits the start instead.
 * @param overrides timeouts that replace the computed ones; a missing one keeps the computed value
 */
export function deadlinesOf(plan: RunPlan, overrides: Partial<Deadlines> = {}): Deadlines {
  const phaseMs = Math.max(1, Math.ceil(plan.sampling.timeoutS * 1000));
  const { joinTimeout } = plan.settings;
  const { launchMs: minimumMs, launchMsPerRank = 0 } = planningOf(plan).patience;
  const launchMs =
    joinTimeout === undefined
      ? Math.max(phaseMs, minimumMs, launchMsPerRank * plan.ranks)
      : Number(joinTimeout) * 1000;
  return { ...defaultDeadlines, launchMs, measureMs: phaseMs, ...overrides };
}
