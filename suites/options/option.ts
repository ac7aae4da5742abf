// Options of commands and the forms in which they can be typed. Completion imports this file, so it must not load yargs.
import type { Options } from 'yargs';
import { nearestWord } from '../../results/nearest.ts';
import { keepText, listOf, parseEach, parseOneOf, switchValue, wholeNumber } from './values.ts';

/**
 * One option of a command: its yargs properties and further ones. The row's key in its table is the option's name: "jsonFile" is
 * --json-file. The command line, config and suite files, help, completion and docs/options.md all read these rows.
 */
export interface OptionRow<T = unknown> extends Pick<Options, 'type' | 'group' | 'defaultDescription'> {
  describe: string;
  /** Other names of the option, such as its single letter and its long name in nccl-tests. Help shows only the letter. */
  alias?: string | readonly string[];
  /**
   * Names, without dashes, under which other programs have this option. The command line rejects such a name, and the error message
   * suggests this option.
   */
  synonyms?: readonly string[];
  /** Values of the option that shell completion offers; `coerce` may accept others. */
  choices?: readonly string[];
  /** Value of the option if neither the command line nor a config file gives it. Absent = the option then has no value. */
  default?: T;
  /**
   * Keys of options that cannot be given together with this option, because they determine the same quantity. One of the two rows
   * is enough to name the other.
   */
  conflicts?: readonly string[];
  /** Converts the typed text to the option's value. @throws {ValueError} if the value is not allowed */
  coerce(text: string): T;
  /**
   * Converts a value typed after the option's single letter, if nccl-tests gives the value another meaning than collbench does.
   * Absent = `coerce` converts it.
   */
  coerceLetter?(text: string): T;
  /** True if the command accepts the option only to reject it with a reason. Help, completion and suggestions leave it out. */
  hidden?: boolean;
  /** Placeholder for the option's value in help, such as SIZE; absent if the option is a switch. */
  value?: string;
  /** Value of the option if it is typed without a value; absent = the option is a switch, or needs a value. */
  bareValue?: string;
  /** Description of the option's allowed values, for messages, help and documents: "whole numbers from 1 to 64". */
  allowed?: string;
  /** Example of a command line with the option, without the words `collbench allreduce` before it. */
  example?: string;
}

/** A table of options. The key is the option's name in camel case: "jsonFile" is --json-file. */
export type OptionRows = Readonly<Record<string, OptionRow>>;

/** The rows of options that help and completion show: all except hidden ones. */
export const shownRows = (rows: OptionRows): OptionRows =>
  Object.fromEntries(Object.entries(rows).filter(([, { hidden }]) => hidden !== true));

type OptionValue<R> = R extends { coerce(text: string): infer T } ? T : never;

/** Values of the options of a table, by key. An option without a default is absent if the user did not give it. */
export type OptionValues<R> = {
  -readonly [K in keyof R as R[K] extends { default: unknown } ? K : never]:
    | OptionValue<R[K]>
    | (R[K] extends { default: null } ? null : never);
} & { -readonly [K in keyof R as R[K] extends { default: unknown } ? never : K]?: OptionValue<R[K]> };

/** Properties of a switch: an option without a value, such as --json; off unless the row has another default. */
export const switchOption = {
  type: 'boolean',
  default: false as boolean,
  defaultDescription: 'off',
  allowed: 'true or false',
  coerce: switchValue,
} as const;

/** Properties of an option whose value is one of these words: the words, their text for help, and the parser. */
export const choiceOption = <const C extends readonly string[]>(choices: C) => ({
  choices,
  allowed: choices.join(', '),
  coerce: parseOneOf<C[number]>(choices),
});

/** Returns the rows of a table with `group` as their heading in help; rows that name another heading keep it. */
export function inGroup<const R extends OptionRows>(group: string, rows: R): R {
  return Object.fromEntries(Object.entries(rows).map(([key, row]) => [key, { group, ...row }])) as R;
}

/** Name of an option on the command line without the leading "--"; the key "jsonFile" gives "json-file". */
export const optionName = (key: string): string =>
  key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export const isSwitch = ({ type }: OptionRow): boolean => type === 'boolean';

const aliasesOf = ({ alias = [] }: OptionRow): readonly string[] => [alias].flat();

/**
 * All names of an option without leading dashes: long name, single letter, long name in nccl-tests.
 * @param key key of the option in its table, such as "jsonFile"
 */
export const namesOf = (key: string, row: OptionRow): string[] => [optionName(key), ...aliasesOf(row)];

/**
 * Name of the option that a user probably means by an unknown name: the option with this synonym, otherwise the option with the
 * most similar name; null if none is similar.
 * @param word the unknown name, without leading dashes
 */
export function meantOption(word: string, rows: OptionRows): string | null {
  const [key] = Object.entries(rows).find(([, row]) => row.synonyms?.includes(word)) ?? [];
  return key === undefined ? nearestWord(word, Object.keys(rows).map(optionName)) : optionName(key);
}

/** The option's single letter, as in -b; undefined if it has none. */
export const letterOf = (row: OptionRow): string | undefined =>
  aliasesOf(row).find(({ length }) => length === 1);

/** True if only one of two options may be given. @param a key of one option @param b key of the other option */
export const areExclusive = (rows: OptionRows, a: string, b: string): boolean =>
  [rows[a]?.conflicts?.includes(b), rows[b]?.conflicts?.includes(a)].includes(true);

/** Default values of the options of a table, by key; options without a default are left out. */
export const defaultsOf = <R extends OptionRows>(rows: R): OptionValues<R> =>
  Object.fromEntries(
    Object.entries(rows).flatMap(([key, row]) => ('default' in row ? [[key, row.default]] : [])),
  ) as OptionValues<R>;

/** The default value as text for help: its description if it has one, "none" for null; undefined if the option has no default. */
export function defaultText({ defaultDescription, default: value }: OptionRow): string | undefined {
  if (defaultDescription !== undefined || value === undefined) return defaultDescription;
  return value === null ? 'none' : String(value);
}

/** Properties of an option whose value is "all" or a comma-separated list of these words. The value is checked but stays text. */
export const wordListOption = (known: readonly string[]) => ({
  value: 'LIST',
  choices: known,
  allowed: `${known.join(', ')}, several with commas between, or all`,
  coerce: keepText(listOf(known)),
});

/**
 * Properties of an option whose value is a comma-separated list of numbers from 1 to `max`. The value is checked but stays text.
 */
export const countListOption = (max: number) => ({
  value: 'LIST',
  allowed: `whole numbers from 1 to ${max}, with commas between`,
  default: '1',
  coerce: keepText(parseEach(wholeNumber(1, max))),
});

/**
 * All forms in which an option can be typed: --NAME, --no-NAME and its aliases with dashes.
 * @param names long name first, then aliases, all without dashes
 */
export const formsOf = ([name = '', ...aliases]: readonly string[]): string[] => [
  `--${name}`,
  `--no-${name}`,
  ...aliases.map((alias) => `${alias.length === 1 ? '-' : '--'}${alias}`),
];

/**
 * Returns a function that is true for a word of the command line that is one of the forms, alone or joined with a value:
 * --NAME=VALUE, -RVALUE.
 * @param forms forms of one option, from formsOf()
 */
export const isForm =
  (forms: readonly string[]) =>
  (word: string): boolean =>
    forms.some((form) => word === form || word.startsWith(form.startsWith('--') ? `${form}=` : form));
