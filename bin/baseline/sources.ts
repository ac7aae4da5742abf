import path from 'node:path';
import { poolRuns } from '../../results/baseline/index.ts';
import type { ReadRun } from '../../results/compare/index.ts';
import type { Baseline } from '../../results/schema/index.ts';
import { type LoadedSuite, openRun, openSuite } from '../../results/store/index.ts';
import { CommandError } from '../exit.ts';

/** A run or a suite, as a baseline takes it: by entry, runs of one entry as one. */
export interface Source {
  about: Baseline['source'];
  entries: { entry: string; run: ReadRun }[];
}

/**
 * @param word id or folder of a run or a suite
 * @throws CommandError nothing that was measured to its end; StoreError no such run
 */
export async function sourceOf(word: string, root: string): Promise<Source> {
  const suite = await suiteOf(word, root);
  if (suite === null) {
    const run = await openRun(word, root);
    const { record } = run;
    requireWhole(`run ${record.id}`, record.state, record.plan.imported !== undefined);
    const { id, title, plan } = record;
    const name = plan.points[0]?.collective ?? 'run';
    return {
      about: { kind: 'run', id, name, title },
      entries: [{ entry: record.suite?.entry ?? 'run', run }],
    };
  }
  const { record, dir } = suite;
  const entries: Source['entries'] = [];
  for (const entry of record.entries) {
    if (entry.status === 'cannot-run' && entry.optional) continue;
    if (entry.status !== 'measured') {
      throw new CommandError(
        `suite ${record.id} is no baseline: ${entry.name} ${entry.reason ?? 'has no end'}`,
        ['  allowed: a suite whose entries were all measured', `Next: ${record.command.join(' ')}`],
      );
    }
    const own = entry.runs.filter(({ arm, pass }) => arm === 'tonight' && pass === 'first');
    const runs: ReadRun[] = [];
    for (const { folder } of own) runs.push(await openRun(path.join(dir, folder)));
    entries.push({ entry: entry.name, run: poolRuns(runs) });
  }
  const { id, name, title } = record;
  return { about: { kind: 'suite', id, name, title }, entries };
}

/** `last` behind a suite is the suite, not the run that happened to be its last one. */
async function suiteOf(word: string, root: string): Promise<LoadedSuite | null> {
  const suite = await openSuite(word, root);
  if (suite !== null || word !== 'last') return suite;
  const { record } = await openRun(word, root);
  return record.suite === undefined ? null : openSuite(record.suite.id, root);
}

function requireWhole(what: string, state: string, isImported: boolean): void {
  if (state === 'complete' && !isImported) return;
  throw new CommandError(`${what} is no baseline: ${isImported ? 'it was imported' : `it is ${state}`}`, [
    '  allowed: what was measured here to its end, verified and not contradicted',
  ]);
}
