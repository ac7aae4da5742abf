import type { MeasuringCommandOptions } from '../options/index.ts';
import { measuringOptions, measuringSyntax } from './measuring.ts';
import type { OptionWord } from './parsed-words.ts';
import { readLine } from './read.ts';

/**
 * Options of a measuring command.
 * @param config what the config file says
 * @throws Refusal one clear error: the value, what is allowed, the way out
 */
export const readOptions = (
  command: string,
  words: readonly string[],
  config: readonly OptionWord[] = [],
): MeasuringCommandOptions => measuringOptions(command, readLine(measuringSyntax(command), words), config);
