import { basename, dirname, join, resolve } from 'node:path';
import { editDistance } from '../nearest.ts';
import { StoreError, type StoreErrorCode } from './errors.ts';
import { findAnyFinding, namesFinding } from './findings.ts';
import { exists, foldersOf, idOf, secondOf } from './folders.ts';
import { labelledRuns, listRuns } from './list.ts';
import { loadRun, readRecord } from './load.ts';
import { defaultRoot, files, nearPath } from './paths.ts';
import { openSuite, runsOfSuite } from './suites.ts';
import type { LoadedRun, RunEntry } from './types.ts';

/**
 * Opens a run by its folder, id or label, or by the start of its folder's name or id. The run is searched in `root`, the folder of
 * all runs. If several names apply, the first of these wins, as in findRun(). `last` is the newest run, `last~1` the one before.
 * Incomplete last lines are left out and named in `warnings`; configurations without a stored result are computed from their
 * samples.
 * @throws StoreError bad-name, not-found (with the most similar names), names-suite, names-explanation, names-bisection, newer
 * (schema), broken
 */
export async function openRun(pathOrId: string, root: string = defaultRoot): Promise<LoadedRun> {
  const dir = await findRun(pathOrId, root);
  return loadRun(dir, await readRecord(dir));
}

/** Highest number of runs listed in one message. */
const maxNamed = 5;

/** Command to use next after errors about names of runs: it lists the runs of the folder that the user named. */
const runsListed = { words: ['runs'], keep: ['root'] };

/**
 * Finds the folder of a run and returns its absolute path. The first that applies wins: a path, also relative to `root` (the folder
 * of all runs); `last` or `last~N`; a unique id; a label; the start of a folder's name or id.
 * @throws StoreError bad-name: the name is empty; not-found, also if several runs match; names-suite, with the runs of the suite;
 * names-explanation; names-bisection
 */
export async function findRun(pathOrId: string, root: string = defaultRoot): Promise<string> {
  const error = (code: StoreErrorCode, text: string) =>
    new StoreError(code, pathOrId, text, { next: runsListed });
  if (pathOrId === '') throw error('bad-name', 'a run is named by its folder or its id; the name is empty');
  for (const dir of [resolve(pathOrId), resolve(root, pathOrId)]) {
    if (await exists(join(dir, files.record))) return dir;
  }
  const names: string[] = [];
  for (const name of await foldersOf(root))
    if (await exists(join(root, name, files.record))) names.push(name);
  const [isLast, back = '0'] = /^last(?:~(\d{1,6}))?$/.exec(pathOrId) ?? [];
  if (isLast !== undefined) return resolve(root, await newest(names, Number(back), root));
  const exact = names.filter((name) => idOf(name) === pathOrId);
  const [own] = exact;
  if (own !== undefined && exact.length === 1) return resolve(root, own);
  // A label is a complete name, so it takes precedence over ids and folders that only begin with the text.
  const labelled = await labelledRuns(pathOrId, root);
  const [one, another] = labelled;
  if (one !== undefined && another === undefined) return one.dir;
  if (one !== undefined) {
    const ids = labelled.map(({ id }) => id).join(', ');
    throw error('not-found', `'${pathOrId}' is the label of several runs: ${ids}. Give an id.`);
  }
  const matches =
    exact.length > 0
      ? exact
      : names.filter((name) => name.startsWith(pathOrId) || idOf(name).startsWith(pathOrId));
  const listed = matches.length > 0 ? [] : await listRuns(root);
  // The folder of a run may have a name that the user chose (--out), without the id.
  matches.push(...listed.filter(({ id }) => id.startsWith(pathOrId)).map(({ dir }) => basename(dir)));
  const [only, second] = matches;
  if (only !== undefined && second === undefined) return resolve(root, only);
  if (only !== undefined)
    throw error(
      'not-found',
      `'${pathOrId}' could be any of: ${matches.slice(0, maxNamed).join(', ')}. Give more of the name.`,
    );
  await refuseSuite(pathOrId, root, listed);
  const finding = await findAnyFinding(pathOrId, root);
  if (finding !== null) throw namesFinding(pathOrId, finding);
  if (await exists(resolve(pathOrId)))
    throw error('not-found', `${pathOrId} is not a run: it has no ${files.record}.`);
  if (names.length === 0) throw noRuns(root, `there is no run '${pathOrId}': `);
  const hint = `Nearest: ${nearest(pathOrId, names).join(', ')}.`;
  throw error('not-found', `there is no run '${pathOrId}' in ${resolve(root)}. ${hint}`);
}

const noRuns = (root: string, lead = ''): StoreError =>
  new StoreError('not-found', root, `${lead}there are no runs in ${resolve(root)}`, {
    next: 'collbench allreduce --max 1M',
  });

/**
 * Does nothing unless `word` names a suite.
 * @param listed all runs in the folder `root`
 * @throws StoreError names-suite, with some stored runs of the suite; not-found if several suites match
 */
async function refuseSuite(word: string, root: string, listed: readonly RunEntry[]): Promise<void> {
  const suite = await openSuite(word, root);
  // The folder of a suite may be gone while its runs are still there.
  const member = listed.find((entry) => entry.suite?.id.startsWith(word))?.suite;
  const { id, name } = suite?.record ?? member ?? {};
  if (id === undefined) return;
  const first = suite === null ? undefined : runsOfSuite(suite)[0];
  const folder = first === undefined ? resolve(root) : dirname(resolve(suite?.dir ?? '', first.folder));
  const isBeside = folder === resolve(root);
  const runs = (isBeside ? listed : await listRuns(folder)).filter((entry) => entry.suite?.id === id);
  const more = runs.length > maxNamed ? ', ...' : '';
  const named = runs.slice(0, maxNamed).map((entry) => `${entry.id} (${entry.suite?.entry})`);
  const next =
    runs.length === 0
      ? { words: ['report', word], keep: ['root'] }
      : isBeside
        ? { ...runsListed, words: ['runs', '--filter', id] }
        : { words: ['runs', '--filter', id, '--root', nearPath(folder)], keep: [] };
  throw new StoreError(
    'names-suite',
    word,
    `'${word}' is suite ${name} with ${runs.length} ${runs.length === 1 ? 'run' : 'runs'}, and here one run is needed`,
    {
      details: [
        ...(runs.length === 0 ? [] : [`its runs: ${named.join(', ')}${more}`]),
        'collbench report, export and baseline also take a whole suite',
      ],
      next,
    },
  );
}

/**
 * Returns the name of the folder of the newest run, or of an earlier one. Folder names sort by the start of the run to the second;
 * if several runs have an equal second, their records are read.
 * @param names names of all folders of runs
 * @param back 0 = the newest run, 1 = the one before, ...
 * @throws StoreError not-found if there are not so many runs; broken, newer if a record must be read and cannot
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
  if (names.length === 0) throw noRuns(root);
  const there = names.length === 1 ? 'is 1 run' : `are ${names.length} runs`;
  const text = `there ${there} in ${resolve(root)}, so that no run lies ${back} before the last`;
  throw new StoreError('not-found', root, text, { next: runsListed });
}

/** Returns up to three names that are most similar to `wanted`, by the edit distance of the id or of the whole name. */
function nearest(wanted: string, names: readonly string[]): string[] {
  return names
    .map((name) => ({ name, far: Math.min(editDistance(wanted, idOf(name)), editDistance(wanted, name)) }))
    .sort((a, b) => a.far - b.far)
    .slice(0, 3)
    .map(({ name }) => name);
}
