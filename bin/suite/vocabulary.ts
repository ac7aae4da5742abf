// What a suite's file may say: the option table and the collectives, as suites/suite wants them.
import path from 'node:path';
import { packageRoot } from '../../orchestration/build.ts';
import { collectiveNames } from '../../results/schema/plan.ts';
import type { KnownOption, Reading } from '../../suites/suite/index.ts';
import { flags, isSwitch, keyOfName, type OptionKey, optionKeys, ValueError } from '../options/index.ts';
import { isRival } from '../read-options.ts';

/** What belongs to a command line, not to a file that is run many times. */
const notInFiles: readonly OptionKey[] = ['out', 'json', 'jsonFile', 'planOnly', 'explain', 'config'];

export const libraryFolder = path.join(packageRoot, 'suites', 'library');
export const schemaFile = path.join(libraryFolder, 'schema.json');

function knownOption(key: OptionKey): KnownOption {
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

export const reading: Reading = {
  collectives: collectiveNames,
  options: optionKeys.filter((key) => !notInFiles.includes(key)).map(knownOption),
  areRivals: (one, other) => {
    const [a, b] = [keyOfName(one), keyOfName(other)];
    return a !== undefined && b !== undefined && isRival(a, b);
  },
  library: libraryFolder,
};
