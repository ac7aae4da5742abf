/**
 * Kind of a refusal, which decides the exit code. `invalid` (1): the command is wrong on every machine. `cannot-run-here` (2): it
 * is refused only on the present machines, or with the present files.
 */
export type RefusalExit = 'invalid' | 'cannot-run-here';

/**
 * Suggests the refused command with some options changed: set to a value, switched on (''), or removed (null), by long name without
 * dashes. The code that prints the suggestion knows the typed command and keeps its other options.
 */
export interface OptionChange {
  change: Readonly<Record<string, string | null>>;
}

/**
 * Suggests another command of collbench. `keep`: long names, without dashes, of options of the refused command that it takes over
 * as typed.
 */
export interface OtherCommand {
  /** Words of the suggested command after "collbench", not quoted for a shell. */
  words: readonly string[];
  keep: readonly string[];
}

/** Suggests the refused command with misspelt words replaced by others, also within comma lists and "--name=value". */
export interface WordChange {
  rename: Readonly<Record<string, string>>;
}

/** Suggests a command of another program, in shell syntax. */
export interface ShellCommand {
  shell: string;
}

/**
 * The next command that a message suggests to the user. A text is a complete command of collbench. It must work exactly as
 * printed; explanations and placeholders belong in `details`.
 */
export type NextStep = `collbench ${string}` | OptionChange | OtherCommand | WordChange | ShellCommand;

/** Parts of an error message, for refused commands and for runs that failed. */
export interface RefusalWording {
  /** First line of the message: the refused option or other subject with its value, and usually the reason. */
  message: string;
  /** Lines with the allowed values or the cause, without indentation; linesOf() prints them indented. Absent = none. */
  details?: readonly string[];
  next?: NextStep;
}

/**
 * All refusals with one code: the kind that decides their exit code, and a function that makes the message from a refusal's values.
 */
export interface RefusalText<V extends readonly unknown[]> {
  exit: RefusalExit;
  words: (...values: V) => RefusalWording;
}

export const invalid = <V extends readonly unknown[]>(words: RefusalText<V>['words']): RefusalText<V> => ({
  exit: 'invalid',
  words,
});

export const cannotRunHere = <V extends readonly unknown[]>(
  words: RefusalText<V>['words'],
): RefusalText<V> => ({ exit: 'cannot-run-here', words });

/**
 * Two options that exclude each other. Each is a text as the user wrote it: "--min", "-b", or with its place in a file,
 * "nightly.yaml:3:1: min".
 */
export interface OptionPair {
  one: string;
  other: string;
}
