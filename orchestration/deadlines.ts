import type { RunPlan } from '../results/schema/index.ts';
import { planningOf } from '../suites/engines/index.ts';

/** How long is waited for what, milliseconds. */
export interface Deadlines {
  /** Start of the agent until its first message. */
  helloMs: number;
  /** Start of rank processes until all are connected; enforced by the agent. */
  launchMs: number;
  /** One block; enforced by the agent. */
  measureMs: number;
  /** What the controller waits longer than the agent, which needs time to collect stacks and logs of hung ranks. */
  marginMs: number;
  /** Answer to `probe`. */
  probeMs: number;
  /** Orderly end of one launch. */
  stopMs: number;
  /** Last readings of the metrics. */
  sampledMs: number;
  /** How often a remote agent and the controller say that they are there; the agent leaves after six beats unheard. */
  beatMs: number;
  /** Nothing at all was heard from a remote agent for so long: it is lost. Probing GPUs keeps an agent from answering. */
  unheardMs: number;
  /** After closing the agent's stdin, and after SIGTERM. */
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
 * `--timeout` is one figure: what a block may take is also what the start of the ranks may take. Workers of frameworks have
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
