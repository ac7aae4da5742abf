// One run among several of a command, stored as a normal run.
import type { MeasureOptions } from '../engines/index.ts';
import { progressOutput, type RunListener, type RunTools } from './output.ts';
import { measurePlan, type RunOptions, type RunOutcome, withPrepared } from './run.ts';

export interface OneRun extends Pick<RunOptions, 'suite' | 'report'> {
  command: string;
  options: MeasureOptions;
  /** Words of the command as typed, which the plan stores. */
  words: readonly string[];
  /** Environment variables that the run sets for its ranks. */
  environment?: Record<string, string>;
}

/** Receives notes and progress of the run, and before it starts the notes of the planner. */
export interface OneRunListener extends RunListener {
  prepared?(notes: readonly string[]): void;
}

/** Measures one run and stores it below `root`; without `report` it gets no report of its own. */
export const measureOneRun = (
  { command, options, words, environment = {}, suite, report = false }: OneRun,
  { root, tools }: { root: string; tools: RunTools },
  listener: OneRunListener,
): Promise<RunOutcome> =>
  withPrepared(
    command,
    options,
    words,
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
