import { resolve } from 'node:path';
import { addTo } from '../collections.ts';
import type { HistoryLine } from '../schema/index.ts';
import { openIndex, type RunIndex } from '../store/run-index/open.ts';

/**
 * Joins the run indexes of several folders to one, with lines oldest first; a run that was copied is included once. Each line's
 * `folder` is an absolute path without the first slash, because the joined index has the `root` "/".
 * @param roots folders that contain runs; a folder that is named twice is read once
 * @param anew true to rebuild the indexes, as in openIndex()
 * @throws StoreError if one of the folders cannot be listed
 */
export async function openIndexes(roots: readonly string[], anew = false): Promise<RunIndex> {
  const all: RunIndex = { root: '/', lines: [], columns: new Map(), warnings: [] };
  const seen = new Set<string>();
  for (const root of new Set(roots.map((one) => resolve(one)))) {
    const { lines, columns, warnings } = await openIndex(root, anew);
    for (const line of lines) {
      // A run that was copied to several folders is included once.
      if (seen.has(line.id)) continue;
      seen.add(line.id);
      all.lines.push({ ...line, folder: `${root}/${line.folder}`.slice(1) });
    }
    for (const [set, own] of columns) all.columns.set(set, own);
    all.warnings.push(...warnings);
  }
  all.lines.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  return all;
}

/**
 * Divides an index by the runs' host names, because runs on other machines do not belong to the same series. The result is sorted
 * by host names, and its indexes have no warnings.
 */
export function byHosts(index: RunIndex): { hosts: string[]; index: RunIndex }[] {
  const parts = new Map<string, HistoryLine[]>();
  for (const line of index.lines) addTo(parts, line.hosts.join(' '), line);
  return [...parts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, lines]) => ({ hosts: lines[0]?.hosts ?? [], index: { ...index, lines, warnings: [] } }));
}
