import type { ComparableRun } from '../compare/index.ts';
import { refuse } from '../refusals/refusal.ts';
import { type Baseline, dataOf, whatOf } from '../schema/index.ts';
import { type LoadedRun, type LoadedSuite, openNamed } from '../store/index.ts';
import { armOf } from './arm.ts';

/** Run or suite that the user wants to store as a baseline. Several runs of one suite entry are combined to one. */
export interface BaselineSource {
  about: Baseline['source'];
  /** Start time of the run or suite, ISO 8601. */
  startedAt: string;
  entries: { entry: string; run: ComparableRun }[];
}

/**
 * Reads a run or suite.
 * @param word id or folder of a run or a suite
 * @throws Refusal if it was not measured completely; StoreError if it does not exist
 */
export async function sourceOf(word: string, root: string): Promise<BaselineSource> {
  const named = await openNamed(word, root);
  return named.kind === 'suite' ? suiteSource(named.suite) : runSource(named.run);
}

function runSource(run: LoadedRun): BaselineSource {
  const { id, title, plan, state, suite } = run.record;
  const isImported = plan.imported !== undefined;
  if (state !== 'complete' || isImported) throw refuse('run-no-baseline', { run: id, state, isImported });
  const [first] = plan.points;
  const name = first === undefined ? 'run' : whatOf(dataOf(first.workload, plan.workloads), first.axes);
  const entries = [{ entry: suite?.entry ?? 'run', run }];
  return { about: { kind: 'run', id, name, title }, startedAt: run.record.startedAt, entries };
}

async function suiteSource(suite: LoadedSuite): Promise<BaselineSource> {
  const { record } = suite;
  const { id, name, title, command } = record;
  for (const entry of record.entries) {
    if (entry.status === 'not-needed' || (entry.status === 'cannot-run' && entry.optional)) continue;
    if (entry.status !== 'measured') {
      const { name: unmeasured, reason } = entry;
      throw refuse('suite-no-baseline', { suite: id, entry: unmeasured, reason, command });
    }
  }
  const entries = [...(await armOf(suite, 'tonight', 'first'))].map(([entry, run]) => ({ entry, run }));
  return { about: { kind: 'suite', id, name, title }, startedAt: record.startedAt, entries };
}
