// Makes baselines from stored runs and suites.
import type { ComparableRun } from '../compare/compare-runs.ts';
import { distinctLaunches } from '../compare/settings.ts';
import { oncePerNight } from '../judge/nights.ts';
import { refuse } from '../refusals/refusal.ts';
import type { Baseline, BaselineGroup } from '../schema/index.ts';
import { learnScatter } from './learn.ts';
import { type BaselineSource, sourceOf } from './source.ts';
import { listBaselines, readBaseline, writeBaseline } from './store.ts';

/**
 * Folder of all baselines, folder of all runs (`root`), and name of the baseline; `name` null = the baseline has the name of the
 * run or suite.
 */
export interface BaselineLocation {
  baselines: string;
  root: string;
  name: string | null;
}

/**
 * Stores a run or suite as a baseline. A baseline with this name is replaced and returned as `before` (null = there was none); its
 * learned variances are kept, because they describe the machine and the method.
 * @param word id or folder of the run or suite
 * @returns also `file`, the path of the written file
 * @throws errors of sourceOf(), StoreError if the baseline cannot be read or written
 */
export async function setBaseline(
  word: string,
  { baselines, root, name }: BaselineLocation,
): Promise<{ baseline: Baseline; before: Baseline | null; file: string }> {
  const { about, entries } = await sourceOf(word, root);
  const before = await readBaseline(baselines, name ?? about.name);
  const baseline: Baseline = {
    schemaVersion: 3,
    name: name ?? about.name,
    setAt: new Date().toISOString(),
    source: about,
    entries: entries.map(({ entry, run }) => ({
      entry,
      record: { ...run.record, launches: distinctLaunches(run.record.launches) },
      cells: [...run.cells],
    })),
    learned: before?.learned ?? null,
  };
  return { baseline, before, file: await writeBaseline(baselines, baseline) };
}

/** Number of nights with runs that the user is advised to have, so that the variance between nights is known well enough. */
export const nightsWanted = 5;

/**
 * Computes from runs of an unchanged build how much launches and nights differ, and stores the variances in the baseline of this
 * name. If it does not exist, the last run becomes the baseline. Suite entries that the first run lacks, or that no other run has,
 * are ignored.
 * @param words ids or folders of the runs or suites
 * @param place folders of baselines and runs, and name of the baseline; null = the name that the runs or suites have
 * @param isForced true to accept runs of a single night
 * @returns the baseline and the number of nights of which the runs are
 * @throws Refusal if a run is given twice, if names or sampling differ, if all runs are of one night (unless `isForced`), or if no
 * suite entry has a size that all its runs measured in two launches or more; errors of sourceOf(); StoreError if the baseline
 * cannot be read or written
 */
export async function learnBaseline(
  words: readonly string[],
  place: BaselineLocation,
  isForced = false,
): Promise<{ baseline: Baseline; nights: number }> {
  const sources: BaselineSource[] = [];
  for (const word of words) sources.push(await sourceOf(word, place.root));
  const first = requireSameName(sources);
  const nights = oncePerNight(sources).length;
  if (nights < 2 && !isForced)
    throw refuse('learned-of-one-night', { runs: sources.length, nights: nightsWanted });
  const name = place.name ?? first.about.name;
  const groups = first.entries.flatMap(({ entry }) => {
    const own = sources.flatMap((source): ComparableRun[] =>
      source.entries.filter((one) => one.entry === entry).map(({ run }) => run),
    );
    return own.length < 2 ? [] : learnedOf(entry, own);
  });
  if (groups.length === 0) throw refuse('nothing-learned');
  const last = words.at(-1) ?? '';
  const before =
    (await readBaseline(place.baselines, name)) ?? (await setBaseline(last, { ...place, name })).baseline;
  const from = sources.map(({ about }) => about.id);
  const value: Baseline = { ...before, learned: { at: new Date().toISOString(), from, groups } };
  await writeBaseline(place.baselines, value);
  return { baseline: value, nights };
}

/**
 * Checks that all sources have the same name, and returns the first one.
 * @throws Refusal if there is none, if a source is given twice, or if names differ
 */
function requireSameName(sources: readonly BaselineSource[]): BaselineSource {
  const [first, ...others] = sources;
  if (first === undefined) throw refuse('nothing-learned');
  const ids = sources.map(({ about }) => about.id);
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  if (twice !== undefined) throw refuse('learned-twice', { id: twice });
  const other = others.find(({ about }) => about.name !== first.about.name);
  if (other !== undefined) throw refuse('learned-of-different', { one: first.about, other: other.about });
  return first;
}

function learnedOf(entry: string, nights: readonly ComparableRun[]): BaselineGroup[] {
  try {
    return learnScatter(entry, nights);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw refuse('not-to-be-learned', { why: error.message });
  }
}

/**
 * Reads the baseline with this name from `folder`.
 * @throws Refusal, with the names of the existing baselines, if it does not exist; StoreError if the name is not valid, or if the
 * file cannot be read
 */
export async function requiredBaseline(name: string, folder: string): Promise<Baseline> {
  const value = await readBaseline(folder, name);
  if (value !== null) return value;
  throw refuse('no-baseline', { name, folder, names: await listBaselines(folder) });
}
