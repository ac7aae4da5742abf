import { join, resolve } from 'node:path';
import { StoreError } from './errors.ts';
import { exists, foldersOf, idOf, secondOf } from './folders.ts';
import { listRuns } from './list.ts';
import { loadRun, readRecord } from './load.ts';
import { defaultRoot, files } from './paths.ts';
import type { LoadedRun } from './types.ts';

/**
 * Opens a run by its folder, id, label, or the start of folder name or id (searched in `root`, the folder of all runs). `last` is
 * the newest run, `last~1` the one before. Incomplete last lines are left out and named in `warnings`; configurations without a
 * stored result are computed from their samples.
 * @throws StoreError not-found (with the nearest runs), newer (schema), broken
 */
export async function openRun(pathOrId: string, root: string = defaultRoot): Promise<LoadedRun> {
  const dir = await findRun(pathOrId, root);
  return loadRun(dir, await readRecord(dir));
}

/** Highest number of runs listed in one message. */
const maxNamed = 5;

/**
 * Finds the folder of a run in `root` (the folder of all runs) by path, id, label, start of folder name or id, or `last~N`.
 * @throws StoreError bad-name; not-found, also if several runs match
 */
export async function findRun(pathOrId: string, root: string = defaultRoot): Promise<string> {
  if (pathOrId === '')
    throw new StoreError('bad-name', root, 'a run is named by its folder or its id; the name is empty');
  for (const dir of [resolve(pathOrId), resolve(root, pathOrId)]) {
    if (await exists(join(dir, files.record))) return dir;
  }
  const names: string[] = [];
  for (const name of await foldersOf(root))
    if (await exists(join(root, name, files.record))) names.push(name);
  const [isLast, back = '0'] = /^last(?:~(\d{1,6}))?$/.exec(pathOrId) ?? [];
  if (isLast !== undefined) return resolve(root, await newest(names, Number(back), root));
  const matches = names.filter((name) => name.startsWith(pathOrId) || idOf(name).startsWith(pathOrId));
  const exact = matches.filter((name) => idOf(name) === pathOrId);
  const [only, second] = exact.length > 0 ? exact : matches;
  if (only !== undefined && second === undefined) return resolve(root, only);
  if (only !== undefined) {
    const text = `'${pathOrId}' could be any of: ${matches.slice(0, maxNamed).join(', ')}. Give more of the name.`;
    throw new StoreError('not-found', pathOrId, text);
  }
  const listed = await listRuns(root);
  const labelled = listed.filter(({ label }) => label === pathOrId);
  const [one, another] = labelled;
  if (one !== undefined && another === undefined) return one.dir;
  if (one !== undefined) {
    const ids = labelled.map(({ id }) => id).join(', ');
    throw new StoreError(
      'not-found',
      pathOrId,
      `'${pathOrId}' is the label of several runs: ${ids}. Give an id.`,
    );
  }
  const suite = listed.find((entry) => entry.suite?.id.startsWith(pathOrId))?.suite ?? null;
  if (suite !== null) {
    const ids = listed.filter((entry) => entry.suite?.id === suite.id).map(({ id }) => id);
    const text = `'${pathOrId}' is suite ${suite.name} with ${ids.length} ${ids.length === 1 ? 'run' : 'runs'}, and here one run is needed: ${ids.slice(0, maxNamed).join(', ')}${ids.length > maxNamed ? ', ...' : ''}. The folder of the suite, or its id, works with collbench report, export and baseline.`;
    throw new StoreError('not-found', pathOrId, text);
  }
  if (await exists(resolve(pathOrId))) {
    const text = `${pathOrId} is not a run: it has no ${files.record}.`;
    throw new StoreError('not-found', pathOrId, text);
  }
  const near = nearest(pathOrId, names);
  const hint =
    names.length === 0
      ? `There are no runs in ${resolve(root)}.`
      : `Nearest: ${near.join(', ')}. \`collbench runs\` lists all ${names.length}.`;
  throw new StoreError('not-found', pathOrId, `there is no run '${pathOrId}' in ${resolve(root)}. ${hint}`);
}

/**
 * Returns the folder of the newest run, or of an earlier one. Folder names sort by the second of the start; if seconds are equal,
 * the records are read. @param back 0 = the newest run, 1 = the one before
 */
async function newest(names: readonly string[], back: number, root: string): Promise<string> {
  const sorted = [...names].sort((a, b) => b.localeCompare(a));
  const at = sorted[back];
  if (at !== undefined) {
    const same = sorted.filter((name) => secondOf(name) === secondOf(at));
    if (same.length === 1) return at;
    const starts = await Promise.all(
      same.map(async (name) => ({ name, startedAt: (await readRecord(join(root, name))).record.startedAt })),
    );
    starts.sort((a, b) => b.startedAt.localeCompare(a.startedAt));
    return starts[back - sorted.indexOf(same[0] as string)]?.name ?? at;
  }
  if (names.length === 0)
    throw new StoreError(
      'not-found',
      root,
      `there are no runs in ${resolve(root)}. Make one: collbench allreduce --max 1M`,
    );
  const there = names.length === 1 ? 'is 1 run' : `are ${names.length} runs`;
  const text = `there ${there} in ${resolve(root)}, so that no run lies ${back} before the last. \`collbench runs\` lists them.`;
  throw new StoreError('not-found', root, text);
}

/** Returns the three names that are most similar to `wanted`: smallest edit distance of the id, or of the whole name. */
function nearest(wanted: string, names: readonly string[]): string[] {
  return names
    .map((name) => ({ name, far: Math.min(distance(wanted, idOf(name)), distance(wanted, name)) }))
    .sort((a, b) => a.far - b.far)
    .slice(0, 3)
    .map(({ name }) => name);
}

/** Levenshtein distance of two texts. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const swap = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
