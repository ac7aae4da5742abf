import { basename, dirname, join, resolve } from 'node:path';
import { areOfOneNight, spreadOverNights } from '../judge/nights.ts';
import type { HistoryColumn, HistoryLine } from '../schema/index.ts';
import { StoreError } from '../store/errors.ts';
import { openRun } from '../store/read.ts';
import { type IndexLines, readIndex } from '../store/run-index/lines.ts';
import type { LoadedRun } from '../store/types.ts';

/**
 * Runs with more configurations than this are not read, because reading would take too long for the one line of output that needs
 * them.
 */
const maxCells = 4000;
/** Highest number of earlier runs that are read to see how much runs differ; reading more would take too long. */
const maxRuns = 15;
/** Highest number of runs from the index whose folders are tried, because folders may have been removed. */
const maxTries = 5;

/**
 * Returns the newest earlier run that is complete and measured at least one of this run's series with the same sizes and method on
 * the same hosts. Only runs in the index are found, and this run must be in it, too; imported runs and runs of a reference build do
 * not count. Null if there is none, if this run has more than `maxCells` configurations, or if the index cannot be read. Runs that
 * cannot be opened are skipped.
 */
export async function findLastComparable({
  dir,
  record,
}: Pick<LoadedRun, 'dir' | 'record'>): Promise<LoadedRun | null> {
  if (record.plan.expected.cells > maxCells) return null;
  const [root, folder] = [dirname(resolve(dir)), basename(resolve(dir))];
  const index = readIndex(root);
  const own = index.byFolder.get(folder);
  if (own === undefined) return null;
  const newest = linesLike(index, own).filter(({ at }) => at < own.at);
  const [last] = await openFirst(root, newest.slice(0, maxTries), 1);
  return last ?? null;
}

/**
 * Returns at most `maxRuns` complete runs below `root`, newest first, that measured at least one series of the newest of `runs` on
 * the same hosts. `runs` themselves, all runs of their suites, imported runs and runs of a reference build are left out. Only runs
 * in the index are found; if none of `runs` is in it, or if it cannot be read, the list is empty. Runs that cannot be opened are
 * skipped. If `runs` are of several nights, only one run of each night is returned, provided that there are enough nights.
 */
export async function runsLike(
  root: string,
  runs: readonly Pick<LoadedRun, 'record'>[],
): Promise<LoadedRun[]> {
  const ids = new Set(runs.map(({ record }) => record.id));
  const suites = new Set(runs.flatMap(({ record }) => record.suite?.id ?? []));
  const index = readIndex(root);
  const own = [...index.byFolder.values()].findLast(({ id }) => ids.has(id));
  if (own === undefined) return [];
  // Sizes and methods are compared later; a run that lacks one size still shows how much the others scatter.
  const newest = linesLike(index, own, seriesOf).filter(
    ({ id, suite }) => !ids.has(id) && !(suite !== undefined && suites.has(suite.id)),
  );
  const started = newest.map((line) => ({ line, startedAt: line.at }));
  const chosen = areOfOneNight(runs.map(({ record }) => record)) ? started : spreadOverNights(started);
  const lines = chosen.map(({ line }) => line).sort((a, b) => (a.at < b.at ? 1 : -1));
  return openFirst(root, lines.slice(0, maxRuns), maxRuns);
}

/**
 * Returns complete, not imported runs on the same hosts that measured at least one series of `own`, newest first; `own` may be
 * among them. Runs of a reference build, and runs with more than `maxCells` configurations, are left out.
 * @param keyOf gives the key that a series of both runs must share: by default series, sizes and method
 */
function linesLike({ byFolder, columns }: IndexLines, own: HistoryLine, keyOf = likeOf): HistoryLine[] {
  const keys = new Set((columns.get(own.set) ?? []).map(keyOf));
  const isLike = (line: HistoryLine): boolean =>
    line.state === 'complete' &&
    line.imported !== true &&
    line.suite?.arm !== 'anchor' &&
    line.hosts.join('\n') === own.hosts.join('\n') &&
    line.cells.expected <= maxCells &&
    (line.set === own.set || (columns.get(line.set) ?? []).some((column) => keys.has(keyOf(column))));
  return [...byFolder.values()].filter(isLike).sort((a, b) => (a.at < b.at ? 1 : -1));
}

/**
 * Opens runs in the given order until `count` are open. Runs for which openRun() throws a StoreError are skipped; other errors are
 * passed on.
 * @param root folder that contains the runs
 */
async function openFirst(root: string, lines: readonly HistoryLine[], count: number): Promise<LoadedRun[]> {
  const found: LoadedRun[] = [];
  for (const line of lines) {
    if (found.length === count) break;
    try {
      found.push(await openRun(join(root, line.folder)));
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  }
  return found;
}

const seriesOf = ({ group, figure }: HistoryColumn): string => `${group}\n${figure}`;
const likeOf = (column: HistoryColumn): string => `${seriesOf(column)}\n${column.like}`;
