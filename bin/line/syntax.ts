import { nearestWord } from '../../results/nearest.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import { type OptionRow, type OptionRows, optionName } from '../../suites/options/option.ts';
import { ValueError } from '../../suites/options/values.ts';

/** Syntax of a command line: the name of the command, its arguments and the table of its options. */
export interface CommandSyntax {
  name: string;
  /** Name and arguments: "show <run>", "topo [file..]". */
  command: string;
  /** Help text for the command's arguments; `shown` is the text for their default. Errors print `help` as the allowed values. */
  argument?: { help: string; shown?: string };
  options: OptionRows;
  /**
   * True for commands that measure. Their single letters mean what they mean in nccl-tests, and errors explain options of
   * nccl-tests that collbench lacks. Absent = false.
   */
  isMeasuring?: boolean;
}

/** The arguments in the syntax of a command: `<run>` is required, `[file]` is not; with ".." the argument takes several words. */
export const argumentsOf = (command: string): { name: string; isRequired: boolean; isMany: boolean }[] =>
  [...command.matchAll(/([<[])(\w+)(\.\.)?[>\]]/g)].map(([, bracket, name = '', many]) => ({
    name,
    isRequired: bracket === '<',
    isMany: many !== undefined,
  }));

/**
 * The value with each misspelt word replaced by the most similar allowed word; null if a word has no similar one, or the result is
 * still invalid.
 */
function correctedValue({ choices = [], coerce }: OptionRow, text: string): string | null {
  const known = choices.filter((word) => /^[a-z][^,]*$/i.test(word));
  const items = text.split(',').map((item) => item.trim());
  const near = (item: string) => nearestWord(item, known) ?? nearestWord(item.toLowerCase(), known);
  const corrected = items.map((item) => (known.includes(item) ? item : near(item)));
  if (corrected.includes(null)) return null;
  try {
    coerce(corrected.join(','));
    return corrected.join(',');
  } catch (error) {
    if (error instanceof ValueError) return null;
    throw error;
  }
}

/**
 * Converts the text of an option's value with the parser of the option.
 * @param command name of the command, for messages
 * @param where form in which the option was typed, such as "-b", for messages
 * @param parse parser to use instead of the option's own
 * @throws Refusal with the option and its allowed values if the parser rejects the text
 */
export function parseOption(
  command: string,
  [key, row]: readonly [key: string, row: OptionRow],
  where: string,
  text: string,
  parse: OptionRow['coerce'] = row.coerce,
): unknown {
  const { allowed, example } = row;
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    const { message: why } = error;
    const meant = error.meant ?? correctedValue(row, text);
    const change = meant === null ? undefined : { [optionName(key)]: meant };
    throw refuse('value-not-understood', { command, where, text, why, allowed, example, change });
  }
}
