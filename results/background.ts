// Finds the runs with which a run is compared: the newest earlier run of the same series, and recorded runs of equal machines.
import path from 'node:path';
import { separateRuns } from './compare/calibrate.ts';
import { compareRuns } from './compare/compare-runs.ts';
import { findLastComparable, runsLike } from './history/last-like.ts';
import { type ReferenceRun, referencesFor } from './reference-runs.ts';
import type { PairOfRuns } from './schema/index.ts';
import { calibrationFor } from './store/calibration.ts';
import type { LoadedRun } from './store/types.ts';

export interface Background {
  /**
   * The run that compareWithLast() finds, an earlier one with a series of this run, and the comparison of both (`pair`); null if
   * there is no such run.
   */
  last: { run: LoadedRun; pair: PairOfRuns } | null;
  references: readonly ReferenceRun[];
}

export const emptyBackground: Background = { last: null, references: [] };

export async function backgroundOf(run: LoadedRun): Promise<Background> {
  if (run.record.plan.pairs !== undefined) return emptyBackground;
  const [last, references] = [await compareWithLast(run), await referencesFor(run.record)];
  return { last, references };
}

/**
 * Compares a run with the newest earlier complete run in the same folder that measured at least one of its series with equal sizes
 * and method on the same hosts. Null if findLastComparable() finds none, for example because the run is not in the index of the
 * folder.
 */
export async function compareWithLast(run: LoadedRun): Promise<Background['last']> {
  const last = await findLastComparable(run);
  if (last === null) return null;
  const records = [last.record, run.record];
  const root = path.dirname(path.resolve(run.dir));
  const learned = await calibrationFor(root, records);
  const history = await runsLike(root, [last, run]);
  const [pair] = compareRuns([last, run], separateRuns(learned, records, history)).pairs;
  return pair === undefined ? null : { run: last, pair };
}
