// Finds the run, the explanation, or the suite with all its runs, that a word on the command line names.
import { isOfExplanation, isOfSuite } from './errors.ts';
import { findExplanation, type LoadedExplanation } from './explanations.ts';
import { defaultRoot } from './paths.ts';
import { openRun } from './read.ts';
import { type LoadedSuite, openSuite, suiteBeside, suiteElsewhere } from './suites.ts';
import type { LoadedRun } from './types.ts';

export type RunOrExplanation =
  | { kind: 'run'; run: LoadedRun }
  | { kind: 'explanation'; explanation: LoadedExplanation };
export type StoredRecord = RunOrExplanation | { kind: 'suite'; suite: LoadedSuite };

/**
 * Opens the suite, run or explanation that `word` names: by its folder, its id, or the start of either; a run also by its label.
 * `last` is the newest run, or the suite that measured it if `isAlone` is true. `last~1` is always a run.
 * @param isAlone true if the command line names no other run
 * @throws StoreError bad-name, not-found, broken, newer (schema version)
 */
export async function openNamed(
  word: string,
  root: string = defaultRoot,
  isAlone: boolean = true,
): Promise<StoredRecord> {
  const beside = await suiteBeside(word, root);
  if (beside !== null) return { kind: 'suite', suite: beside };
  let named: RunOrExplanation;
  try {
    named = await openRunOrExplanation(word, root);
  } catch (error) {
    const suite = isOfSuite(error) ? await suiteElsewhere(word, root) : null;
    if (suite === null) throw error;
    return { kind: 'suite', suite };
  }
  const of = isAlone && word === 'last' && named.kind === 'run' ? named.run.record.suite : undefined;
  const suite = of === undefined ? null : await openSuite(of.id, root);
  return suite === null ? named : { kind: 'suite', suite };
}

/**
 * Opens the run that `word` names, or else the explanation.
 * @throws StoreError bad-name, not-found, names-suite, broken, newer (schema version)
 */
export async function openRunOrExplanation(
  word: string,
  root: string = defaultRoot,
): Promise<RunOrExplanation> {
  try {
    return { kind: 'run', run: await openRun(word, root) };
  } catch (error) {
    const explanation = isOfExplanation(error) ? await findExplanation(word, root) : null;
    if (explanation === null) throw error;
    return { kind: 'explanation', explanation };
  }
}
