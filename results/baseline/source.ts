import path from 'node:path';
import type { ComparableRun } from '../compare/compare-runs.ts';
import { refuse } from '../refusals/refusal.ts';
import { type Baseline, dataOf, type SuiteArm, type SuiteMembership, whatOf } from '../schema/index.ts';
import { namesFinding } from '../store/findings.ts';
import { openRun } from '../store/read.ts';
import { openNamed } from '../store/stored-record.ts';
import type { LoadedSuite } from '../store/suites.ts';
import type { LoadedRun } from '../store/types.ts';
import { poolRuns } from './pool.ts';

/**
 * A run or suite that the user wants to store as a baseline, or from which a baseline learns variances. `entries`: its suite
 * entries by name, each with one run, to which several runs of the entry are combined; a run outside a suite is the entry "run".
 */
export interface BaselineSource {
  about: Baseline['source'];
  /** Start time of the run or suite, ISO 8601. */
  startedAt: string;
  entries: { entry: string; run: ComparableRun }[];
}

/**
 * Reads a run or suite for use as a baseline.
 * @param word id or folder of the run or suite
 * @param root folder that contains the runs
 * @throws Refusal if a run is incomplete or imported, or if a suite lacks an entry that had to be measured; StoreError if the run
 * or suite does not exist or cannot be read, or if `word` names an explanation or bisection
 */
export async function sourceOf(word: string, root: string): Promise<BaselineSource> {
  const named = await openNamed(word, root);
  if (named.kind === 'suite') return suiteSource(named.suite);
  if (named.kind !== 'run') throw namesFinding(word, named);
  return runSource(named.run);
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

/**
 * Reads the suite's runs of one build (tonight's, or the reference build) and one pass (first, or measured again), by suite entry.
 * Several runs of an entry are combined to one; entries without runs are absent.
 * @throws StoreError if a run cannot be read
 */
export async function armOf(
  { record, dir }: LoadedSuite,
  arm: SuiteArm,
  pass: SuiteMembership['pass'],
): Promise<Map<string, ComparableRun>> {
  const found = new Map<string, ComparableRun>();
  for (const entry of record.entries) {
    const runs: ComparableRun[] = [];
    for (const run of entry.runs) {
      if (run.arm === arm && run.pass === pass) runs.push(await openRun(path.join(dir, run.folder)));
    }
    if (runs.length > 0) found.set(entry.name, poolRuns(runs));
  }
  return found;
}
