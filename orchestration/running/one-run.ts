// One run among several of a command, stored as a normal run.
import type { RequestedRun } from '../preparing/prepare.ts';
import { progressOutput, type RunListener, type RunTools } from './output.ts';
import { measurePlan, type RunOptions, type RunOutcome, withPrepared } from './run.ts';

export interface OneRun extends RequestedRun, Pick<RunOptions, 'suite' | 'report'> {
  /** Environment variables that the run sets for its ranks. */
  environment?: Record<string, string>;
}

/** Receives notes and progress of the run, and before it starts the notes of the planner. */
export interface OneRunListener extends RunListener {
  prepared?(notes: readonly string[]): void;
}

/**
 * Measures one run and stores it below `root`; without `report` it gets no report of its own. Failures are in the outcome.
 * @throws Refusal if it cannot run, FailureError if a host cannot be probed; nothing is stored then
 */
export const measureOneRun = (
  { environment = {}, suite, report = false, ...requested }: OneRun,
  { root, tools }: { root: string; tools: RunTools },
  listener: OneRunListener,
): Promise<RunOutcome> =>
  withPrepared(
    requested,
    (prepared, nodes) => {
      listener.prepared?.([...prepared.notes, ...prepared.leftOut]);
      return measurePlan(prepared, nodes, {
        ...{ root, tools, environment, report },
        ...(suite === undefined ? {} : { suite }),
        outputsFor: () => ({ outputs: [progressOutput(listener)] }),
      });
    },
    environment,
  );
