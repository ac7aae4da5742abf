import path from 'node:path';
import type { ReadRun } from '../compare/index.ts';
import { refuse } from '../refusals/refusal.ts';
import { type Baseline, dataOf, whatOf } from '../schema/index.ts';
import { type LoadedSuite, openRun, openSuite } from '../store/index.ts';
import { poolRuns } from './pool.ts';

/** A run or a suite, as a baseline takes it: by entry, runs of one entry as one. */
export interface Source {
  about: Baseline['source'];
  /** When it began. */
  startedAt: string;
  entries: { entry: string; run: ReadRun }[];
}

/**
 * @param word id or folder of a run or a suite
 * @throws Refusal nothing that was measured to its end; StoreError no such run
 */
export async function sourceOf(word: string, root: string): Promise<Source> {
  const suite = await suiteOf(word, root);
  return suite === null ? runSource(word, root) : suiteSource(suite);
}

async function runSource(word: string, root: string): Promise<Source> {
  const run = await openRun(word, root);
  const { id, title, plan, state, suite } = run.record;
  const isImported = plan.imported !== undefined;
  if (state !== 'complete' || isImported) throw refuse('run-no-baseline', { run: id, state, isImported });
  const [first] = plan.points;
  const name = first === undefined ? 'run' : whatOf(dataOf(first.workload, plan.workloads), first.axes);
  const entries = [{ entry: suite?.entry ?? 'run', run }];
  return { about: { kind: 'run', id, name, title }, startedAt: run.record.startedAt, entries };
}

async function suiteSource({ record, dir }: LoadedSuite): Promise<Source> {
  const { id, name, title, command } = record;
  const entries: Source['entries'] = [];
  for (const entry of record.entries) {
    if (entry.status === 'not-needed' || (entry.status === 'cannot-run' && entry.optional)) continue;
    if (entry.status !== 'measured') {
      const { name: unmeasured, reason } = entry;
      throw refuse('suite-no-baseline', { suite: id, entry: unmeasured, reason, command });
    }
    const own = entry.runs.filter(({ arm, pass }) => arm === 'tonight' && pass === 'first');
    const runs: ReadRun[] = [];
    for (const { folder } of own) runs.push(await openRun(path.join(dir, folder)));
    entries.push({ entry: entry.name, run: poolRuns(runs) });
  }
  return { about: { kind: 'suite', id, name, title }, startedAt: record.startedAt, entries };
}

/** `last` behind a suite is the suite, not the run that happened to be its last one. */
async function suiteOf(word: string, root: string): Promise<LoadedSuite | null> {
  const suite = await openSuite(word, root);
  if (suite !== null || word !== 'last') return suite;
  const { record } = await openRun(word, root);
  return record.suite === undefined ? null : openSuite(record.suite.id, root);
}
