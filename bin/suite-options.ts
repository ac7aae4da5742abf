// What a suite file may contain (option table, collectives), and the command lines of its entries.
import path from 'node:path';
import type { SuiteCommand } from '../orchestration/suites/command.ts';
import { packageRoot } from '../results/package.ts';
import { Refusal, refuse } from '../results/refusals/refusal.ts';
import {
  placeText,
  type SuiteOption,
  type SuiteOptionTexts,
  type SuitePlanEntry,
  type SuiteReading,
} from '../suites/suite/index.ts';
import { isMeasuring, plannings, shownCommandNames, type WorkloadOption } from '../suites/workloads/index.ts';
import { isRival } from './line/measuring.ts';
import { readOptions } from './line/read-options.ts';
import { flags, isSwitch, keyOfName, type OptionKey, optionKeys, ValueError } from './options/index.ts';

/** Options that are not allowed in suite files, because they make sense only for a single run. */
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
  'config',
];

const libraryFolder = path.join(packageRoot, 'suites', 'library');
export const schemaFile = path.join(libraryFolder, 'schema.json');

function knownOption(key: OptionKey): SuiteOption {
  const { name, help, allowed, parse } = flags[key];
  return {
    name,
    help,
    allowed,
    check: (text) => {
      if (text === '' && isSwitch(key)) return 'needs true or false';
      try {
        parse(text);
        return null;
      } catch (error) {
        if (error instanceof ValueError) return error.message;
        throw error;
      }
    },
  };
}

/** Options that only one workload has, of all workloads. Several workloads may have an option of the same name. */
const workloadOptions = plannings.flatMap(({ options }) => options);

function knownToWorkloads(name: string): SuiteOption {
  const own = workloadOptions.filter((option) => option.name === name);
  const [{ help, allowed } = { help: '', allowed: '' }] = own;
  const complaint = (text: string, { check }: WorkloadOption): string | null => {
    try {
      check(text);
      return null;
    } catch (error) {
      if (error instanceof ValueError) return error.message;
      throw error;
    }
  };
  return {
    name,
    help,
    allowed,
    check: (text) => {
      const complaints = own.map((option) => complaint(text, option));
      return complaints.includes(null) ? null : (complaints[0] ?? null);
    },
  };
}

export const suiteReading: SuiteReading = {
  collectives: shownCommandNames,
  options: [
    ...optionKeys.filter((key) => !notInFiles.includes(key)).map(knownOption),
    ...[...new Set(workloadOptions.map(({ name }) => name))].map(knownToWorkloads),
  ],
  areRivals: (one, other) => {
    const [a, b] = [keyOfName(one), keyOfName(other)];
    return a !== undefined && b !== undefined && isRival(a, b);
  },
  library: libraryFolder,
};

/** Converts options of a suite to words of a command line, so that the same code parses both. */
function wordsOf(options: SuiteOptionTexts): string[] {
  return [...options].flatMap(([name, { text }]) => {
    const key = keyOfName(name);
    if (key === undefined || !isSwitch(key)) return [`--${name}=${text}`];
    return [flags.json.parse(text) ? `--${name}` : `--no-${name}`];
  });
}

/**
 * Converts a suite entry to a measuring command.
 * @throws Refusal if options contradict each other, with the position of the entry in the file
 */
export function commandOf(entry: SuitePlanEntry, options: SuiteOptionTexts = entry.options): SuiteCommand {
  const { collective } = entry;
  if (!isMeasuring(collective))
    throw refuse('command-unknown', { word: collective, known: suiteReading.collectives });
  const words = wordsOf(options);
  try {
    return { collective, words, options: readOptions(collective, words) };
  } catch (error) {
    throw error instanceof Refusal ? error.at(`${placeText(entry.at)}: ${entry.name}`) : error;
  }
}
