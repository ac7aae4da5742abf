import type { MeasuringCommandOptions } from '../options/index.ts';
import { measuringOptions, measuringSyntax } from './measuring.ts';
import type { OptionWord } from './parsed-words.ts';
import { readLine } from './read.ts';

/**
 * Parses the options of a measuring command.
 * @param config options of the config file
 * @throws Refusal with the value, the allowed values and a solution
 */
export const readOptions = (
  command: string,
  words: readonly string[],
  config: readonly OptionWord[] = [],
): MeasuringCommandOptions => measuringOptions(command, readLine(measuringSyntax(command), words), config);
