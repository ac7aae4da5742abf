// Options of commands and their spellings. Completion imports this file, so it must not load yargs.
import type { Options } from 'yargs';
import { nearestWord } from '../../results/nearest.ts';
import { keepText, listOf, parseEach, parseOneOf, switchValue, wholeNumber } from './values.ts';

/**
 * One option of a command, in the form of yargs, with the properties that yargs lacks. The key of the row in its table is the
 * option's name: "jsonFile" is --json-file. The command line, config and suite files, help, completion and docs/options.md
 * all read these rows.
 */
export interface OptionRow<T = unknown> extends Pick<Options, 'type' | 'group' | 'defaultDescription'> {
  describe: string;
  /** A single letter with the same meaning as in nccl-tests, and the long name there; help shows only the letter. */
  alias?: string | readonly string[];
  /**
   * Names, without dashes, that users try for this option because other programs or commands call it so. They are not accepted;
   * the error message suggests this option.
   */
  synonyms?: readonly string[];
  /** Words that completion offers; `coerce` may allow others. */
  choices?: readonly string[];
  /** Value if neither the command line nor a config file has the option. */
  default?: T;
  /** Keys of options that determine the same value, so that only one of them may be given. */
  conflicts?: readonly string[];
  /** Converts the value's text. @throws {ValueError} if the value is not allowed */
  coerce(text: string): T;
  /** Converts a value given after the option's letter, if nccl-tests gives it another meaning there. */
  coerceLetter?(text: string): T;
  /** True if the command accepts the option only to refuse it with a reason: help, completion and suggestions leave it out. */
  hidden?: boolean;
  /** Placeholder for the value in help; absent if the option is a switch. */
  value?: string;
  /** Value of the option if it is given without one; absent = a value is required. */
  bareValue?: string;
  /** Allowed values, for messages, help and documents. */
  allowed?: string;
  /** Useful example with the option, without the words `collbench allreduce` before it. */
  example?: string;
}

/** A table of options. The key is the option's name in camel case: "jsonFile" is --json-file. */
export type OptionRows = Readonly<Record<string, OptionRow>>;

/** The rows that help lists and completion offers. */
export const shownRows = (rows: OptionRows): OptionRows =>
  Object.fromEntries(Object.entries(rows).filter(([, { hidden }]) => hidden !== true));

type OptionValue<R> = R extends { coerce(text: string): infer T } ? T : never;

/** Values of the options of a table, by key; those without a default are absent if they are not given. */
export type OptionValues<R> = {
  -readonly [K in keyof R as R[K] extends { default: unknown } ? K : never]:
    | OptionValue<R[K]>
    | (R[K] extends { default: null } ? null : never);
} & { -readonly [K in keyof R as R[K] extends { default: unknown } ? never : K]?: OptionValue<R[K]> };

/** Table-row properties of switches: options without a value, such as --json; off unless the row has another default. */
export const switchOption = {
  type: 'boolean',
  default: false as boolean,
  defaultDescription: 'off',
  allowed: 'true or false',
  coerce: switchValue,
} as const;

/** Table-row properties of an option whose value is one of these words: the words, their text for help, and the parser. */
export const choiceOption = <const C extends readonly string[]>(choices: C) => ({
  choices,
  allowed: choices.join(', '),
  coerce: parseOneOf<C[number]>(choices),
});

/** The rows of a table, listed under this heading in help unless a row names its own. */
export function inGroup<const R extends OptionRows>(group: string, rows: R): R {
  return Object.fromEntries(Object.entries(rows).map(([key, row]) => [key, { group, ...row }])) as R;
}

/** Name of an option on the command line without the leading "--"; the key "jsonFile" gives "json-file". */
export const optionName = (key: string): string =>
  key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export const isSwitch = ({ type }: OptionRow): boolean => type === 'boolean';

const aliasesOf = ({ alias = [] }: OptionRow): readonly string[] => [alias].flat();

/** All names of an option without leading dashes: long name, single letter, long name in nccl-tests. */
export const namesOf = (key: string, row: OptionRow): string[] => [optionName(key), ...aliasesOf(row)];

/**
 * Name of the option that a user probably means by a name that no option of the table has: the option with this synonym, else
 * the one with the most similar name; null if none is similar.
 */
export function meantOption(word: string, rows: OptionRows): string | null {
  const [key] = Object.entries(rows).find(([, row]) => row.synonyms?.includes(word)) ?? [];
  return key === undefined ? nearestWord(word, Object.keys(rows).map(optionName)) : optionName(key);
}

/** The option's single letter, as in -b; undefined if it has none. */
export const letterOf = (row: OptionRow): string | undefined =>
  aliasesOf(row).find(({ length }) => length === 1);

/** True if only one of two options of a table, given by their keys, may be on a command line. */
export const areExclusive = (rows: OptionRows, a: string, b: string): boolean =>
  [rows[a]?.conflicts?.includes(b), rows[b]?.conflicts?.includes(a)].includes(true);

/** Default values of the options of a table, by key; options without a default are left out. */
export const defaultsOf = <R extends OptionRows>(rows: R): OptionValues<R> =>
  Object.fromEntries(
    Object.entries(rows).flatMap(([key, row]) => ('default' in row ? [[key, row.default]] : [])),
  ) as OptionValues<R>;

/** The default value as help shows it; undefined if the option has none. */
export function defaultText({ defaultDescription, default: value }: OptionRow): string | undefined {
  if (defaultDescription !== undefined || value === undefined) return defaultDescription;
  return value === null ? 'none' : String(value);
}

/** Table-row properties of an option whose value is "all" or a comma list of these words; the value is checked but stays text. */
export const wordListOption = (known: readonly string[]) => ({
  value: 'LIST',
  choices: known,
  allowed: `${known.join(', ')}, several with commas between, or all`,
  coerce: keepText(listOf(known)),
});

/** Table-row properties of an option whose value is a comma-separated list of numbers from 1 to `max`. The value stays text. */
export const countListOption = (max: number) => ({
  value: 'LIST',
  allowed: `whole numbers from 1 to ${max}, with commas between`,
  default: '1',
  coerce: keepText(parseEach(wholeNumber(1, max))),
});

/** All words that stand for an option: --NAME, --no-NAME and its aliases with dashes. The long name comes first. */
export const formsOf = ([name = '', ...aliases]: readonly string[]): string[] => [
  `--${name}`,
  `--no-${name}`,
  ...aliases.map((alias) => `${alias.length === 1 ? '-' : '--'}${alias}`),
];

/** True if the word is one of the forms of an option, alone or joined with its value: --NAME=VALUE, -RVALUE. */
export const isForm =
  (forms: readonly string[]) =>
  (word: string): boolean =>
    forms.some((form) => word === form || word.startsWith(form.startsWith('--') ? `${form}=` : form));
