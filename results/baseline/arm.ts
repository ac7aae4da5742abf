import path from 'node:path';
import type { ComparableRun } from '../compare/index.ts';
import type { SuiteArm, SuiteMembership } from '../schema/index.ts';
import { type LoadedSuite, openRun } from '../store/index.ts';
import { poolRuns } from './pool.ts';

/**
 * Reads the suite's runs of one build (tonight's, or the reference build) by entry. Several runs of an entry are combined to one.
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
