import { commandNamed } from '../../suites/workloads/index.ts';
import type { MeasuringCommandOptions } from '../options/index.ts';
import { measuringOptions, measuringSyntax } from './measuring.ts';
import type { OptionWord } from './parsed-words.ts';
import { readLine } from './read.ts';

/**
 * Parses the options of a measuring command.
 * @param config options of the config file
 * @throws Refusal with the value, the allowed values and a solution
 */
export function readOptions(
  name: string,
  words: readonly string[],
  config: readonly OptionWord[] = [],
): MeasuringCommandOptions {
  const command = commandNamed(name);
  return measuringOptions(command, readLine(measuringSyntax(command), words), config);
}
