import { basename, dirname, join, resolve } from 'node:path';
import type { HistoryColumn, HistoryLine } from '../schema/index.ts';
import { type LoadedRun, openRun, StoreError } from '../store/index.ts';
import { readIndex } from './file.ts';

/** Larger runs would make people wait for what is one line. */
const mostCells = 4000;
/** Runs that were removed are still in the index. */
const mostTries = 5;

/**
 * The newest run beside this one that measured any of its series before, the same way and on the same hosts; null where
 * there is none. Only the index is searched: what it does not have yet is not looked for.
 */
export async function lastLike({
  dir,
  record,
}: Pick<LoadedRun, 'dir' | 'record'>): Promise<LoadedRun | null> {
  if (record.plan.expected.cells > mostCells) return null;
  const [root, folder] = [dirname(resolve(dir)), basename(resolve(dir))];
  const { known, columns } = readIndex(root);
  const own = known.get(folder);
  if (own === undefined) return null;
  const keys = new Set((columns.get(own.set) ?? []).map(keyOf));
  const isLike = (line: HistoryLine): boolean =>
    line.at < own.at &&
    line.state === 'complete' &&
    line.imported !== true &&
    line.suite?.arm !== 'anchor' &&
    line.hosts.join('\n') === own.hosts.join('\n') &&
    line.cells.expected <= mostCells &&
    (line.set === own.set || (columns.get(line.set) ?? []).some((column) => keys.has(keyOf(column))));
  const newest = [...known.values()].filter(isLike).sort((a, b) => (a.at < b.at ? 1 : -1));
  for (const line of newest.slice(0, mostTries)) {
    try {
      return await openRun(join(root, line.folder));
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  }
  return null;
}

const keyOf = ({ group, figure, like }: HistoryColumn): string => `${group}\n${figure}\n${like}`;
