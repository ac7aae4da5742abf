import { existsSync, lstatSync } from 'node:fs';
import { lstat, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { BisectionRecord, ExplanationRecord } from '../schema/index.ts';
import { StoreError, writeError } from './errors.ts';
import { listFindings } from './findings.ts';
import type { LoadedFolder } from './folder.ts';
import { listRuns } from './list.ts';
import { lockRun } from './lock.ts';
import { type LoadedSuite, listSuites } from './suites.ts';
import type { RunEntry } from './types.ts';

/**
 * Removes the folder of a run, suite, explanation or bisection with its content. Symbolic links in it are removed, but not what
 * they point to. The index of runs is not changed.
 * @throws StoreError in-use: another process writes the run; unwritable, also if `dir` itself is a link; write. The error of the
 * file system if `dir` does not exist
 */
export async function removeRun(dir: string): Promise<void> {
  const safe = 'Nothing was removed.';
  if ((await lstat(dir)).isSymbolicLink()) {
    throw new StoreError('unwritable', dir, `${dir} is a link to a run. ${safe} Name the run itself.`);
  }
  const lock = await lockRun(dir, safe);
  try {
    await rm(dir, { recursive: true });
  } catch (error) {
    await lock.release();
    throw writeError(dir, error, 'Some of it may be gone.');
  }
}

/** Returns the runs in folder `root` that have ended and can be read, oldest first. @throws StoreError if `root` cannot be read */
const endedRuns = async (root: string): Promise<RunEntry[]> =>
  (await listRuns(root)).filter(({ state }) => state !== 'running' && state !== 'unreadable');

/**
 * Returns the runs in folder `root` that `collbench prune` may remove, oldest first: they have ended, can be read, have no label or
 * notes, and are no links. The newest `keep` runs that have ended are never included. Nothing is removed yet.
 * @throws StoreError not-found if `root` cannot be read
 */
export async function prunable(root: string, keep: number): Promise<RunEntry[]> {
  const ended = await endedRuns(root);
  const old = keep === 0 ? ended : ended.slice(0, -keep);
  return old.filter(
    ({ dir, label, notes }) => label === null && notes.length === 0 && !lstatSync(dir).isSymbolicLink(),
  );
}

/**
 * Returns the suites in folder `root` of which every run is in `old` or already removed, so that the suites' folders can be
 * removed, too. A suite that is still being measured is never included. Nothing is removed yet.
 */
export async function prunableSuites(root: string, old: readonly RunEntry[]): Promise<LoadedSuite[]> {
  const going = new Set(old.map(({ dir }) => resolve(dir)));
  return (await listSuites(root)).filter(({ dir, record }) => {
    const folders = record.entries.flatMap(({ runs }) => runs.map(({ folder }) => resolve(dir, folder)));
    return record.state !== 'running' && folders.every((folder) => going.has(folder) || !existsSync(folder));
  });
}

/**
 * Returns the stored explanations in folder `root` whose run is in `going`, or is no longer in the folder, oldest first. Nothing is
 * removed yet.
 * @param going runs that are to be removed
 */
export async function prunableExplanations(
  root: string,
  going: readonly RunEntry[],
): Promise<LoadedFolder<ExplanationRecord>[]> {
  const explanations = await listFindings('explanation', root);
  if (explanations.length === 0) return [];
  const gone = new Set(going.map(({ id }) => id));
  const kept = new Set((await listRuns(root)).flatMap(({ id }) => (gone.has(id) ? [] : [id])));
  return explanations.filter(({ record }) => !kept.has(record.run));
}

/**
 * Returns the bisections in folder `root` that have ended and that began before the newest `keep` ended runs, oldest first; none if
 * there are fewer than `keep` such runs. With `keep` 0, all bisections that have ended. Nothing is removed yet.
 */
export async function prunableBisections(
  root: string,
  keep: number,
): Promise<LoadedFolder<BisectionRecord>[]> {
  const bisections = await listFindings('bisection', root);
  if (bisections.length === 0) return [];
  const oldestKept = keep === 0 ? null : (await endedRuns(root)).at(-keep);
  if (oldestKept === undefined) return [];
  return bisections.filter(
    ({ record: { ended, stages, startedAt } }) =>
      (ended !== null || (stages.at(-1)?.end ?? 'open') !== 'open') &&
      (oldestKept === null || Date.parse(startedAt) < Date.parse(oldestKept.startedAt)),
  );
}
