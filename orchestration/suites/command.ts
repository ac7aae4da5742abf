import type { SuiteOptionTexts, SuitePlanEntry, SuiteReading } from '../../suites/suite/index.ts';
import type { MeasureOptions } from '../engines/index.ts';
import type { RunTools } from '../running/output.ts';

/** An entry as a measuring command. */
export interface SuiteCommand {
  collective: string;
  words: string[];
  options: MeasureOptions;
}

/** What driving a suite needs of the command line, whose options the entries have, and of reports. */
export interface SuiteTools {
  reading: SuiteReading;
  /** @throws Refusal options that contradict each other, with the place of the entry */
  commandOf(entry: SuitePlanEntry, options?: SuiteOptionTexts): SuiteCommand;
  run: RunTools;
}

export const environmentOf = (written: ReadonlyMap<string, { text: string }>): Record<string, string> =>
  Object.fromEntries([...written].map(([name, { text }]) => [name, text]));
