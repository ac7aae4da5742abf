import { areExclusive } from '../options/option.ts';
import { SuiteError } from './error.ts';
import { maxSuiteEntries, type SuiteSchema } from './schema.ts';
import type { EntryDefinition, ResolvedSuite, SuiteOptionTexts, SuitePlanEntry, SuiteText } from './types.ts';

/**
 * Makes the runs of a suite, in the order of its entries. An entry becomes one run per combination of its collectives and of the
 * values of its matrix, except the excluded combinations.
 * @param rules table of the options that entries may set
 * @throws SuiteError if there are too many runs, two runs of an entry have the same name, an entry has no collective, a name is
 * both an option and in the matrix, all runs of an entry are excluded, or an exclusion matches no combination
 */
export function expand(suite: ResolvedSuite, rules: Pick<SuiteSchema, 'options'>): SuitePlanEntry[] {
  const plans: SuitePlanEntry[] = [];
  for (const entry of suite.entries.values()) {
    const axes = axesOf(entry);
    const count = axes.reduce((product, [, values]) => product * values.length, 1);
    if (plans.length + count > maxSuiteEntries) {
      throw new SuiteError(entry.at, `${entry.name}: ${count} combinations are too many`, [
        `  allowed: ${maxSuiteEntries} runs in a suite`,
      ]);
    }
    const kept = without(entry, axes, combinations(axes));
    const own = kept.map((combination) => planOf(suite, entry, combination, rules));
    const twice = own.find(({ name }, i) => own.findIndex((other) => other.name === name) !== i);
    if (twice !== undefined) {
      throw new SuiteError(entry.at, `${twice.name}: two runs of that name`, [
        '  allowed: each value once in a list of collectives or of a matrix',
      ]);
    }
    plans.push(...own);
  }
  return plans;
}

type Axis = readonly [name: string, values: readonly SuiteText[]];
type Combination = ReadonlyMap<string, SuiteText>;

/**
 * Axes of an entry's matrix, with their values. The collective is always the first axis, because a run has exactly one collective.
 * @throws SuiteError if the entry has no collective, or an axis of the matrix is also one of the entry's options
 */
function axesOf(entry: EntryDefinition): Axis[] {
  const { matrix, collectives, at, name } = entry;
  const chosen = matrix.get('collective') ?? collectives;
  if (chosen.length === 0) throw new SuiteError(at, `${name}: no collective`);
  const twice = [...matrix.keys()].find((axis) => entry.options.has(axis));
  if (twice !== undefined) {
    throw new SuiteError(
      matrix.get(twice)?.[0]?.at ?? at,
      `${twice}: both an option and in the matrix of ${name}`,
    );
  }
  return [['collective', chosen], ...[...matrix].filter(([axis]) => axis !== 'collective')];
}

function combinations(axes: readonly Axis[]): Combination[] {
  let found: Combination[] = [new Map()];
  for (const [name, values] of axes) {
    found = found.flatMap((one) => values.map((value) => new Map([...one, [name, value]])));
  }
  return found;
}

const normal = (text: string): string => text.trim().toLowerCase();

function without(entry: EntryDefinition, axes: readonly Axis[], all: readonly Combination[]): Combination[] {
  let kept = [...all];
  for (const { at, match } of entry.exclude) {
    const odd = [...match.keys()].find((name) => !axes.some(([axis]) => axis === name));
    if (odd !== undefined) {
      throw new SuiteError(
        match.get(odd)?.[0]?.at ?? at,
        `exclude ${odd}: not in the matrix of ${entry.name}`,
        [`  allowed: ${axes.map(([axis]) => axis).join(', ')}`],
      );
    }
    const isMeant = (one: Combination): boolean =>
      [...match].every(([name, values]) =>
        values.some(({ text }) => normal(text) === normal(one.get(name)?.text ?? '')),
      );
    const left = kept.filter((one) => !isMeant(one));
    if (left.length === kept.length || match.size === 0) {
      throw new SuiteError(at, `exclude: matches nothing in the matrix of ${entry.name}`);
    }
    kept = left;
  }
  if (kept.length === 0) throw new SuiteError(entry.at, `${entry.name}: everything is excluded`);
  return kept;
}

/**
 * Merges sets of options into a new one, such as those of the suite and those of an entry. An option of a later set in `layers`
 * replaces the same option of earlier sets, and removes options of earlier sets that cannot be given together with it.
 * @param rules table of options; it says which options cannot be given together
 */
export function layered(
  layers: readonly Iterable<readonly [string, SuiteText]>[],
  rules: Pick<SuiteSchema, 'options'>,
): SuiteOptionTexts {
  const options: SuiteOptionTexts = new Map();
  for (const layer of layers) {
    const added = [...layer];
    for (const name of [...options.keys()]) {
      if (added.some(([other]) => areExclusive(rules.options, name, other))) options.delete(name);
    }
    for (const [name, written] of added) options.set(name, written);
  }
  return options;
}

function planOf(
  suite: ResolvedSuite,
  entry: EntryDefinition,
  combination: Combination,
  rules: Pick<SuiteSchema, 'options'>,
): SuitePlanEntry {
  const axes = [...combination].filter(([axis]) => axis !== 'collective');
  const collective = combination.get('collective')?.text ?? '';
  const place = [
    ...((entry.matrix.get('collective') ?? entry.collectives).length > 1 ? [collective] : []),
    ...axes.map(([axis, { text }]) => `${axis}=${text}`),
  ];
  return {
    name: [entry.name, ...place].join('/'),
    at: entry.at,
    collective,
    options: layered([suite.options, entry.options, axes], rules),
    environment: new Map([...suite.environment, ...entry.environment]),
    isOptional: entry.isOptional,
    unless: entry.unless.map(({ text }) => text),
  };
}
