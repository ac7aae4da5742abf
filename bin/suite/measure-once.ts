import type { Output } from '../../orchestration/running/output.ts';
import { type MeasuredRun, measurePlan, withPrepared } from '../../orchestration/running/run.ts';
import type { SuiteMembership } from '../../results/schema/index.ts';
import { runTools } from '../run-tools.ts';
import type { SuiteCommand } from './words.ts';

/** What is heard of a run while it goes on. */
export interface Listener {
  /** Share of the run that is done, 0 to 1. */
  progress(share: number): void;
  note(text: string): void;
}

/**
 * One run of a suite: prepared, measured and stored as on the command line.
 * @param report whether report.html is made for it
 * @throws Refusal, FailureError before anything was measured
 */
export async function measureOnce(
  { collective, options, words }: SuiteCommand,
  environment: Record<string, string>,
  suite: SuiteMembership,
  { root, listener, report }: { root: string; listener: Listener; report: boolean },
): Promise<MeasuredRun> {
  const output: Output = {
    begin: () => undefined,
    cell: () => undefined,
    note: (text) => listener.note(text),
    progress: (_, share) => listener.progress(share),
    end: () => undefined,
  };
  const how = {
    root,
    suite,
    environment,
    report,
    tools: runTools,
    outputsFor: () => ({ outputs: [output] }),
  };
  return withPrepared(collective, options, words, (prepared, nodes) => measurePlan(prepared, nodes, how));
}
