import type { SuiteOptionTexts, SuitePlanEntry, SuiteReading } from '../../suites/suite/index.ts';
import type { MeasureOptions } from '../engines/index.ts';
import type { RunTools } from '../running/output.ts';

/** An entry as a measuring command. */
export interface SuiteCommand {
  collective: string;
  words: string[];
  options: MeasureOptions;
}

/** Functions that a suite needs from rooms which orchestration may not import: command-line options and reports. */
export interface SuiteTools {
  reading: SuiteReading;
  /** The measuring command of an entry. @throws Refusal if options contradict each other, with the position of the entry */
  commandOf(entry: SuitePlanEntry, options?: SuiteOptionTexts): SuiteCommand;
  run: RunTools;
}

export const environmentOf = (written: ReadonlyMap<string, { text: string }>): Record<string, string> =>
  Object.fromEntries([...written].map(([name, { text }]) => [name, text]));
