import type { SuiteOptionTexts, SuitePlanEntry, SuiteReading } from '../../suites/suite/index.ts';
import type { MeasureOptions } from '../engines/index.ts';
import type { RunTools } from '../running/output.ts';

/** An entry of a suite file, converted to a collbench command such as `allreduce` with its options. */
export interface SuiteCommand {
  collective: string;
  words: string[];
  options: MeasureOptions;
}

/** Functions that running a suite needs from modules that orchestration may not import: command-line options and reports. */
export interface SuiteTools {
  reading: SuiteReading;
  /**
   * Converts a suite entry to a measuring command.
   * @param options options to use instead of the entry's own
   * @throws Refusal if options contradict each other, with the position of the entry in the file
   */
  commandOf(entry: SuitePlanEntry, options?: SuiteOptionTexts): SuiteCommand;
  run: RunTools;
}

export const environmentOf = (written: ReadonlyMap<string, { text: string }>): Record<string, string> =>
  Object.fromEntries([...written].map(([name, { text }]) => [name, text]));
