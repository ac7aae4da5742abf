import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { refuse } from '../../results/refusals/refusal.ts';
import { SuiteError, UnreadableSuite } from './error.ts';
import { expand, layered } from './expand.ts';
import { type Reading, readSuite } from './read.ts';
import type { Suite, SuitePlanEntry, WrittenOptions } from './types.ts';

/** Names of the suites that come with collbench. */
export async function shippedSuites({ library }: Pick<Reading, 'library'>): Promise<string[]> {
  const names = await readdir(library);
  return names.flatMap((name) => /^(.*)\.yaml$/.exec(name)?.[1] ?? []).sort();
}

/**
 * @param word name of a shipped suite, or path of a file: with a slash, or an ending
 * @param given on the command line, for every entry
 * @throws Refusal there is none, or it cannot be used: with line and column
 */
export async function loadSuite(
  word: string,
  reading: Reading,
  given: WrittenOptions = new Map(),
): Promise<{ suite: Suite; entries: SuitePlanEntry[] }> {
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
    return { suite, entries };
  } catch (error) {
    if (!(error instanceof SuiteError)) throw error;
    const { message, lines, unknown } = error;
    if (error instanceof UnreadableSuite) throw refuse('suite-unreadable', { message });
    throw refuse('suite-as-written', { message, lines, unknown });
  }
}
