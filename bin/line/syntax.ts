import { nearestWord } from '../../results/nearest.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import { type OptionRow, type OptionRows, optionName } from '../../suites/options/option.ts';
import { ValueError } from '../../suites/options/values.ts';

/** Syntax of a command line: the name of the command, its arguments and the table of its options. */
export interface CommandSyntax {
  name: string;
  /** Name and arguments: "show <run>", "topo [file..]". */
  command: string;
  /** Help text for the command's arguments, which errors print as the allowed values. */
  argument?: { help: string; shown?: string };
  options: OptionRows;
  /** True for commands that measure: their single letters mean what they mean in nccl-tests. Error texts depend on it, too. */
  isMeasuring?: boolean;
}

/** The arguments in a command's syntax: `<run>` is required, `[file..]` may be given any number of times. */
export const argumentsOf = (command: string): { name: string; isRequired: boolean; isMany: boolean }[] =>
  [...command.matchAll(/([<[])(\w+)(\.\.)?[>\]]/g)].map(([, bracket, name = '', many]) => ({
    name,
    isRequired: bracket === '<',
    isMany: many !== undefined,
  }));

/** The value with each misspelt word replaced by the most similar allowed one; null if that is no valid value either. */
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
 * Converts the text of an option's value with the option's parser.
 * @param command name of the command, for messages
 * @param where source of the text for messages, such as "-b"
 * @throws Refusal with the option and its allowed values if the option does not allow the value
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
