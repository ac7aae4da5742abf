import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { refuse } from '../../results/refusals/refusal.ts';
import { SuiteError, UnreadableSuite } from './error.ts';
import { expand, layered } from './expand.ts';
import { readSuite, type SuiteReading } from './read.ts';
import type { ResolvedSuite, SuiteOptionTexts, SuitePlanEntry } from './types.ts';

/**
 * Names of the suites that collbench ships: the YAML files in the folder `library`, without ".yaml", sorted. Rejects with the
 * system's error if the folder cannot be read.
 */
export async function shippedSuites({ library }: Pick<SuiteReading, 'library'>): Promise<string[]> {
  const names = await readdir(library);
  return names.flatMap((name) => /^(.*)\.yaml$/.exec(name)?.[1] ?? []).sort();
}

/**
 * Reads a suite and expands it to runs.
 * @param word name of a shipped suite, or path of a file (contains a slash, or ends in .yaml or .yml)
 * @param given options of the command line; they replace the same options of every entry
 * @param only names of entries or of single runs to keep; null = all
 * @throws Refusal if the suite does not exist, cannot be read or is invalid (with line and column), or if a name in `only` matches
 * no run
 */
export async function loadSuite(
  word: string,
  reading: SuiteReading,
  given: SuiteOptionTexts = new Map(),
  only: readonly string[] | null = null,
): Promise<{ suite: ResolvedSuite; entries: SuitePlanEntry[] }> {
  const isFile = /[/\\]|\.ya?ml$/i.test(word);
  const names = await shippedSuites(reading);
  if (!isFile && !names.includes(word)) throw refuse('no-such-suite', { word, names });
  const file = isFile ? word : path.join(reading.library, `${word}.yaml`);
  try {
    const suite = await readSuite(file, isFile ? word : `library:${word}`, reading);
    const entries = expand(suite, reading).map((entry) => ({
      ...entry,
      options: layered([entry.options, given], reading),
    }));
    return { suite, entries: only === null ? entries : chosen(entries, only, suite) };
  } catch (error) {
    if (!(error instanceof SuiteError)) throw error;
    const { message, lines, unknown } = error;
    if (error instanceof UnreadableSuite) throw refuse('suite-unreadable', { message });
    throw refuse('suite-as-written', { message, lines, unknown });
  }
}

/**
 * Keeps the runs whose own name, or whose entry's name, is in `only`.
 * @throws Refusal if a name in `only` matches no run
 */
function chosen(
  entries: readonly SuitePlanEntry[],
  only: readonly string[],
  suite: ResolvedSuite,
): SuitePlanEntry[] {
  const isNamed = ({ name }: SuitePlanEntry, word: string): boolean =>
    name === word || name.startsWith(`${word}/`);
  const unknown = only.find((word) => !entries.some((entry) => isNamed(entry, word)));
  if (unknown !== undefined) {
    throw refuse('no-such-entry', { word: unknown, suite: suite.name, known: [...suite.entries.keys()] });
  }
  return entries.filter((entry) => only.some((word) => isNamed(entry, word)));
}
