// Finds the run, explanation, bisection, or suite with all its runs, that a word on the command line names.
import { isOfFinding, isOfSuite } from './errors.ts';
import { findAnyFinding, type StoredFinding } from './findings.ts';
import { labelledRuns } from './list.ts';
import { defaultRoot } from './paths.ts';
import { openRun } from './read.ts';
import { type LoadedSuite, openSuite, suiteBeside, suiteElsewhere } from './suites.ts';
import type { LoadedRun } from './types.ts';

/** A stored run, explanation or bisection. */
export type RunOrFinding = { kind: 'run'; run: LoadedRun } | StoredFinding;
export type StoredRecord = RunOrFinding | { kind: 'suite'; suite: LoadedSuite };

/**
 * Opens the suite, run, explanation or bisection that `word` names: by its folder, its id, or the start of either; a run also by
 * its label. `last` is the newest run, or the suite that measured it if `isAlone` is true. `last~1` is always a run. A label takes
 * precedence over suites, and a suite over other runs.
 * @param isAlone true if the command line names nothing else
 * @throws StoreError bad-name, not-found, broken, newer (schema version); names-suite if only runs of the suite are left
 */
export async function openNamed(
  word: string,
  root: string = defaultRoot,
  isAlone: boolean = true,
): Promise<StoredRecord> {
  // A label is a complete name, so it takes precedence over suites whose name or id only begins with the text.
  const isLabel = (await labelledRuns(word, root)).length > 0;
  const beside = isLabel ? null : await suiteBeside(word, root);
  if (beside !== null) return { kind: 'suite', suite: beside };
  let named: RunOrFinding;
  try {
    named = await openRunOrFinding(word, root);
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
 * Opens the run that `word` names or, if there is no such run, the explanation or bisection.
 * @throws StoreError bad-name, not-found, names-suite, broken, newer (schema version)
 */
export async function openRunOrFinding(word: string, root: string = defaultRoot): Promise<RunOrFinding> {
  try {
    return { kind: 'run', run: await openRun(word, root) };
  } catch (error) {
    if (!isOfFinding(error)) throw error;
    const finding = await findAnyFinding(word, root);
    if (finding === null) throw error;
    return finding;
  }
}
