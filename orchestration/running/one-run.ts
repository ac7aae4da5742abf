// One run among several of a command, stored as a normal run.
import type { RequestedRun } from '../preparing/prepare.ts';
import { progressOutput, type RunListener, type RunTools } from './output.ts';
import { measurePlan, type RunOptions, type RunOutcome, withPrepared } from './run.ts';

export interface OneRun extends RequestedRun, Pick<RunOptions, 'suite' | 'report' | 'turns'> {
  /** Environment variables that the run sets for its ranks; absent = none. */
  environment?: Record<string, string>;
  /** Names of environment variables of this process that the ranks do not get; absent = they get all. */
  unset?: readonly string[];
}

/**
 * Receives notes and progress of one run. `prepared`, called before the run starts, gets the notes of the planner and texts about
 * what is left out.
 */
export interface OneRunListener extends RunListener {
  prepared?(notes: readonly string[]): void;
}

/**
 * Measures one run and stores it in a folder below `root`. Without `report` no report is written. Failures of the run are in the
 * outcome, not thrown.
 * @throws Refusal if the run cannot be planned, FailureError if a host cannot be probed; nothing is stored then
 * @throws StoreError if the folder cannot be created
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

/**
 * Runs `work` while the given environment variables are unset in this process, so that its agents do not inherit them, and returns
 * its result. Restores them afterwards, also if `work` rejects.
 */
async function withoutVariables<T>(names: readonly string[], work: () => Promise<T>): Promise<T> {
  const before = names.map((name) => [name, process.env[name]] as const);
  for (const name of names) delete process.env[name];
  try {
    return await work();
  } finally {
    for (const [name, value] of before) if (value !== undefined) process.env[name] = value;
  }
}
