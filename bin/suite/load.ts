import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { nearest } from '../../results/nearest.ts';
import {
  expand,
  layered,
  readSuite,
  type Suite,
  SuiteError,
  type SuitePlanEntry,
  type WrittenOptions,
} from '../../suites/suite/index.ts';
import { CommandError } from '../exit.ts';
import { libraryFolder, reading } from './vocabulary.ts';

/** Names of the suites that come with collbench. */
export async function shippedSuites(): Promise<string[]> {
  const names = await readdir(libraryFolder);
  return names
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => name.slice(0, -'.yaml'.length))
    .sort();
}

/**
 * @param word name of a shipped suite, or path of a file: with a slash, or an ending
 * @param given on the command line, for every entry
 * @throws CommandError there is none, or it cannot be used: with line and column
 */
export async function loadSuite(
  word: string,
  given: WrittenOptions = new Map(),
): Promise<{ suite: Suite; entries: SuitePlanEntry[] }> {
  const isFile = /[/\\]|\.ya?ml$/i.test(word);
  const names = await shippedSuites();
  if (!isFile && !names.includes(word)) {
    const match = nearest(word, names);
    throw new CommandError(`suite ${word}: there is no such suite`, [
      `  allowed: ${names.join(', ')}, or a file of your own: ./${word || 'mine'}.yaml`,
      ...(match === null ? [] : [`Next: collbench suite ${match}`]),
    ]);
  }
  const file = isFile ? word : path.join(libraryFolder, `${word}.yaml`);
  return inWords(async () => {
    const suite = await readSuite(file, isFile ? word : `library:${word}`, reading);
    const entries = expand(suite, reading).map((entry) => ({
      ...entry,
      options: layered([entry.options, given], reading),
    }));
    return { suite, entries };
  });
}

async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SuiteError)) throw error;
    const { unknown } = error;
    const match = unknown === null ? null : nearest(unknown.word, unknown.known);
    const known = unknown === null ? [] : [`  allowed: ${unknown.known.join(', ')}`];
    throw new CommandError(error.message, [
      ...error.lines,
      ...(match === null ? known : [`  did you mean ${match}?`]),
    ]);
  }
}
