// Baselines made from stored runs and suites.
import { type ComparableRun, tellingLaunches } from '../compare/index.ts';
import { oncePerNight } from '../judge/nights.ts';
import { refuse } from '../refusals/refusal.ts';
import type { Baseline, BaselineGroup } from '../schema/index.ts';
import { learnScatter } from './learn.ts';
import { type BaselineSource, sourceOf } from './source.ts';
import { listBaselines, readBaseline, writeBaseline } from './store.ts';

/** Where baselines and runs are kept, and the name of the baseline; null = that of what it is made from. */
export interface BaselineLocation {
  baselines: string;
  root: string;
  name: string | null;
}

/** What learned before stays: it is about the machine and the method, not about these figures. @throws as sourceOf() */
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
      record: { ...run.record, launches: tellingLaunches(run.record.launches) },
      cells: [...run.cells],
    })),
    learned: before?.learned ?? null,
  };
  return { baseline, before, file: await writeBaseline(baselines, baseline) };
}

/** As many show how nights differ; fewer prove little. */
export const nightsWanted = 5;

/**
 * Scatter from runs of an unchanged thing, kept with the baseline of their name; the latest becomes it where there is none.
 * @param isForced runs of one night are taken, too
 * @returns with how many nights they are of
 * @throws Refusal runs of different things, of one night, or nothing to be learned from them
 */
export async function learnBaseline(
  words: readonly string[],
  place: BaselineLocation,
  isForced = false,
): Promise<{ baseline: Baseline; nights: number }> {
  const sources: BaselineSource[] = [];
  for (const word of words) sources.push(await sourceOf(word, place.root));
  const first = sameThing(sources);
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

/** @returns the first of them @throws Refusal one twice, or of another name */
function sameThing(sources: readonly BaselineSource[]): BaselineSource {
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

/** @throws Refusal there is none */
export async function requiredBaseline(name: string, folder: string): Promise<Baseline> {
  const value = await readBaseline(folder, name);
  if (value !== null) return value;
  throw refuse('no-baseline', { name, folder, names: await listBaselines(folder) });
}
