// This function is not in measuring.ts, because it loads yargs, and completion loads measuring.ts.
import { commandNamed } from '../../suites/workloads/index.ts';
import type { MeasuringCommandOptions, OptionWord } from '../options/index.ts';
import { measuringOptions, measuringSyntax } from './measuring.ts';
import { readLine } from './read.ts';

/**
 * Parses the options of a measuring command.
 * @param name name of the command
 * @param words words after the name
 * @param config options of the config file
 * @throws Refusal with the wrong value, the allowed values and a solution
 */
export function readOptions(
  name: string,
  words: readonly string[],
  config: readonly OptionWord[] = [],
): MeasuringCommandOptions {
  const command = commandNamed(name);
  return measuringOptions(command, readLine(measuringSyntax(command), words), config);
}
