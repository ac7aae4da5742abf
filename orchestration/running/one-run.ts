// One run among several of a command, stored as a normal run.
import type { RequestedRun } from '../preparing/prepare.ts';
import { progressOutput, type RunListener, type RunTools } from './output.ts';
import { measurePlan, type RunOptions, type RunOutcome, withPrepared } from './run.ts';

export interface OneRun extends RequestedRun, Pick<RunOptions, 'suite' | 'report' | 'turns'> {
  /** Environment variables that the run sets for its ranks. */
  environment?: Record<string, string>;
  /** Environment variables of this process that the ranks do not get. */
  unset?: readonly string[];
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
  { environment = {}, unset = [], suite, report = false, turns, ...requested }: OneRun,
  { root, tools }: { root: string; tools: RunTools },
  listener: OneRunListener,
): Promise<RunOutcome> =>
  withoutVariables(unset, () =>
    withPrepared(
      requested,
      (prepared, nodes) => {
        listener.prepared?.([...prepared.notes, ...prepared.leftOut]);
        return measurePlan(prepared, nodes, {
          ...{ root, tools, environment, report },
          ...(suite === undefined ? {} : { suite }),
          ...(turns === undefined ? {} : { turns }),
          outputsFor: () => ({ outputs: [progressOutput(listener)] }),
        });
      },
      environment,
    ),
  );

/** Carries out `work` while this process lacks environment variables, which its agents would inherit; then restores them. */
async function withoutVariables<T>(names: readonly string[], work: () => Promise<T>): Promise<T> {
  const before = names.map((name) => [name, process.env[name]] as const);
  for (const name of names) delete process.env[name];
  try {
    return await work();
  } finally {
    for (const [name, value] of before) if (value !== undefined) process.env[name] = value;
  }
}
