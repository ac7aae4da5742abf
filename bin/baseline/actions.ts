import { baselineText } from '../../reports/baseline.ts';
import { learn, listBaselines, readBaseline, writeBaseline } from '../../results/baseline/index.ts';
import { type ReadRun, tellingLaunches } from '../../results/compare/index.ts';
import type { Baseline, LearnedGroup } from '../../results/schema/index.ts';
import { harmless } from '../../results/text.ts';
import { CommandError } from '../exit.ts';
import { nearPath } from '../output.ts';
import { type Source, sourceOf } from './sources.ts';

export interface BaselineOptions {
  baselines: string;
  root: string;
  /** Of the baseline. */
  name: string | null;
  json: boolean;
}

function tell(value: object, text: string, { json }: BaselineOptions): void {
  process.stdout.write(json ? `${JSON.stringify(value)}\n` : harmless(text));
}

/** What is told of a baseline: its cells are many. */
const summary = ({ entries, ...rest }: Baseline) => ({
  ...rest,
  entries: entries.map(({ entry, record, cells }) => ({ entry, run: record.id, cells: cells.length })),
});

/** What was learned before stays: it is about the machine and the method, not about these figures. */
export async function setBaseline(word: string, options: BaselineOptions): Promise<void> {
  const { about, entries } = await sourceOf(word, options.root);
  const name = options.name ?? about.name;
  const before = await readBaseline(options.baselines, name);
  const value: Baseline = {
    schemaVersion: 1,
    name,
    setAt: new Date().toISOString(),
    source: about,
    entries: entries.map(({ entry, run }) => ({
      entry,
      record: { ...run.record, launches: tellingLaunches(run.record.launches) },
      cells: [...run.cells],
    })),
    learned: before?.learned ?? null,
  };
  const file = await writeBaseline(options.baselines, value);
  const cells = entries.reduce((sum, { run }) => sum + run.cells.length, 0);
  const instead = before === null ? '' : `, in place of ${before.source.kind} ${before.source.id}`;
  tell(
    summary(value),
    `baseline ${name}: ${about.kind} ${about.id}, ${cells} cells of ${entries.length} ${entries.length === 1 ? 'entry' : 'entries'}${instead} · ${nearPath(file)}\n`,
    options,
  );
}

export async function showBaseline(name: string, options: BaselineOptions): Promise<void> {
  const value = await required(name, options);
  tell(summary(value), baselineText(value), options);
}

export async function listAll(options: BaselineOptions): Promise<void> {
  const names = await listBaselines(options.baselines);
  if (names.length === 0 && !options.json) {
    process.stdout.write(`no baselines in ${options.baselines}. Set one: collbench baseline set RUN\n`);
  }
  for (const name of names) {
    try {
      const value = await required(name, options);
      const { source, setAt, learned } = value;
      const nights = learned === null ? 'nothing learned' : `learned from ${learned.from.length} runs`;
      tell(
        summary(value),
        `${name}  ${setAt.slice(0, 16).replace('T', ' ')}  ${source.kind} ${source.id}  ${nights}  ${source.title}\n`,
        options,
      );
    } catch (error) {
      tell({ name, problem: (error as Error).message }, `${name}  ${(error as Error).message}\n`, options);
    }
  }
}

/** Scatter from runs of an unchanged thing, kept with the baseline of their name; the latest becomes it where there is none. */
export async function learnBaseline(words: readonly string[], options: BaselineOptions): Promise<void> {
  const sources: Source[] = [];
  for (const word of words) sources.push(await sourceOf(word, options.root));
  const ids = sources.map(({ about }) => about.id);
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  if (twice !== undefined)
    throw new CommandError(`${twice} is named twice: a run does not differ from itself`);
  const [first] = sources as [Source];
  const other = sources.find(({ about }) => about.name !== first.about.name);
  if (other !== undefined) {
    throw new CommandError(
      `${first.about.id} is of ${first.about.name}, ${other.about.id} of ${other.about.name}`,
      ['  allowed: runs of the same thing, in which nothing changed'],
    );
  }
  const name = options.name ?? first.about.name;
  if ((await readBaseline(options.baselines, name)) === null) {
    await setBaseline(words.at(-1) as string, { ...options, name });
  }
  const before = await required(name, options);
  const groups = first.entries.flatMap(({ entry }) => {
    const nights = sources.flatMap((source): ReadRun[] =>
      source.entries.filter((one) => one.entry === entry).map(({ run }) => run),
    );
    return nights.length < 2 ? [] : learnedOf(entry, nights);
  });
  if (groups.length === 0) {
    throw new CommandError('nothing could be learned from these runs', [
      '  allowed: runs with the same cells, two launches or more each',
    ]);
  }
  const value: Baseline = { ...before, learned: { at: new Date().toISOString(), from: ids, groups } };
  await writeBaseline(options.baselines, value);
  tell(summary(value), baselineText(value), options);
}

function learnedOf(entry: string, nights: readonly ReadRun[]): LearnedGroup[] {
  try {
    return learn(entry, nights);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new CommandError(error.message, ['  allowed: runs of one plan, in which nothing changed']);
  }
}

async function required(name: string, { baselines }: BaselineOptions): Promise<Baseline> {
  const value = await readBaseline(baselines, name);
  if (value !== null) return value;
  const names = await listBaselines(baselines);
  throw new CommandError(`there is no baseline ${name} in ${baselines}`, [
    names.length === 0 ? 'Next: collbench baseline set RUN' : `  allowed: ${names.slice(0, 10).join(', ')}`,
  ]);
}
