// What a suite file may contain (option table, collectives), and the command lines of its entries.
import path from 'node:path';
import type { RequestedRun } from '../orchestration/preparing/prepare.ts';
import { packageRoot } from '../results/package.ts';
import { Refusal, refuse } from '../results/refusals/refusal.ts';
import { isSwitch, type OptionRow, type OptionRows, optionName } from '../suites/options/option.ts';
import { placeText } from '../suites/suite/error.ts';
import type { SuiteReading } from '../suites/suite/read.ts';
import type { SuiteOptionTexts, SuitePlanEntry } from '../suites/suite/types.ts';
import { findCommand, plannings, shownCommandNames } from '../suites/workloads/index.ts';
import { readOptions } from './line/read-options.ts';
import { keyOfName, type OptionKey, optionKeys, optionRows } from './options/index.ts';

/** Keys of the options that are not allowed in suite files, because they apply only to a single run. */
const notInFiles: readonly OptionKey[] = [
  'out',
  'label',
  'tag',
  'note',
  'json',
  'jsonLive',
  'verbose',
  'jsonFile',
  'planOnly',
  'explain',
  'why',
  'config',
];

const libraryFolder = path.join(packageRoot, 'suites', 'library');
export const schemaFile = path.join(libraryFolder, 'schema.json');

/**
 * Options that only one workload has, as suite files may set them. If two workloads have options of the same name, a value that
 * either of them accepts is valid.
 */
function workloadOptionRows(): OptionRows {
  const rows: Record<string, OptionRow> = {};
  for (const { options } of plannings)
    for (const [name, row] of Object.entries(options)) {
      const other = rows[name];
      rows[name] = other === undefined ? row : { ...other, coerce: (text) => coerceByAny(other, row, text) };
    }
  return rows;
}

function coerceByAny(first: OptionRow, second: OptionRow, text: string): unknown {
  try {
    return first.coerce(text);
  } catch (error) {
    try {
      return second.coerce(text);
    } catch {
      throw error;
    }
  }
}

export const suiteReading: SuiteReading = {
  collectives: shownCommandNames,
  options: {
    ...Object.fromEntries(
      optionKeys.filter((key) => !notInFiles.includes(key)).map((key) => [optionName(key), optionRows[key]]),
    ),
    ...workloadOptionRows(),
  },
  library: libraryFolder,
};

/**
 * Converts options of a suite to words of a command line, so that suites and command lines are parsed by the same code. The words
 * are "--NAME=TEXT", and "--NAME" or "--no-NAME" for switches; they are not quoted.
 */
function wordsOf(options: SuiteOptionTexts): string[] {
  return [...options].flatMap(([name, { text }]) => {
    const key = keyOfName(name);
    if (key === undefined || !isSwitch(optionRows[key])) return [`--${name}=${text}`];
    return [optionRows[key].coerce(text) ? `--${name}` : `--no-${name}`];
  });
}

/**
 * Converts an entry of a suite to its measuring command, with words and parsed options.
 * @param options option texts to use instead of those of the entry
 * @throws Refusal if options contradict each other, with the position of the entry in the file; also if there is no such command
 */
export function commandOf(entry: SuitePlanEntry, options: SuiteOptionTexts = entry.options): RequestedRun {
  const { collective } = entry;
  const command = findCommand(collective);
  if (command === undefined)
    throw refuse('command-unknown', { word: collective, known: suiteReading.collectives, rename: null });
  const words = wordsOf(options);
  try {
    return { command, words, options: readOptions(collective, words) };
  } catch (error) {
    throw error instanceof Refusal ? error.at(`${placeText(entry.at)}: ${entry.name}`) : error;
  }
}
