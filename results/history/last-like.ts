import { basename, dirname, join, resolve } from 'node:path';
import { areOfOneNight, spreadOverNights } from '../judge/nights.ts';
import type { HistoryColumn, HistoryLine } from '../schema/index.ts';
import { type IndexLines, type LoadedRun, openRun, readIndex, StoreError } from '../store/index.ts';

/** Larger runs would make people wait for what is one line. */
const mostCells = 4000;
/** The newest runs show how a machine scatters now; opening more would make people wait. */
const maxRuns = 15;
/** Runs that were removed are still in the index. */
const mostTries = 5;

/**
 * The newest run beside this one that measured any of its series before, the same way and on the same hosts; null where
 * there is none. Only the index is searched: what it does not have yet is not looked for.
 */
export async function findLastComparable({
  dir,
  record,
}: Pick<LoadedRun, 'dir' | 'record'>): Promise<LoadedRun | null> {
  if (record.plan.expected.cells > mostCells) return null;
  const [root, folder] = [dirname(resolve(dir)), basename(resolve(dir))];
  const index = readIndex(root);
  const own = index.byFolder.get(folder);
  if (own === undefined) return null;
  const newest = linesLike(index, own).filter(({ at }) => at < own.at);
  const [last] = await openFirst(root, newest.slice(0, mostTries), 1);
  return last ?? null;
}

/**
 * The newest complete runs below `root` that measured any of the series of these runs, on the same hosts;
 * these runs themselves are left out, and all of the suites that they are of. Only the index is searched.
 * If these runs are of several nights, one run of each night, provided that enough nights were measured.
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
  // Sizes and methods are compared size by size later: a run that lacks one says how the others scatter.
  const newest = linesLike(index, own, seriesOf).filter(
    ({ id, suite }) => !ids.has(id) && !(suite !== undefined && suites.has(suite.id)),
  );
  const started = newest.map((line) => ({ line, startedAt: line.at }));
  const chosen = areOfOneNight(runs.map(({ record }) => record)) ? started : spreadOverNights(started);
  const lines = chosen.map(({ line }) => line).sort((a, b) => (a.at < b.at ? 1 : -1));
  return openFirst(root, lines.slice(0, maxRuns), maxRuns);
}

/** Complete runs with any series of this one, newest first. */
function linesLike({ byFolder, columns }: IndexLines, own: HistoryLine, keyOf = likeOf): HistoryLine[] {
  const keys = new Set((columns.get(own.set) ?? []).map(keyOf));
  const isLike = (line: HistoryLine): boolean =>
    line.state === 'complete' &&
    line.imported !== true &&
    line.suite?.arm !== 'anchor' &&
    line.hosts.join('\n') === own.hosts.join('\n') &&
    line.cells.expected <= mostCells &&
    (line.set === own.set || (columns.get(line.set) ?? []).some((column) => keys.has(keyOf(column))));
  return [...byFolder.values()].filter(isLike).sort((a, b) => (a.at < b.at ? 1 : -1));
}

/** The first `count` of these runs that can be opened. */
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
