/**
 * Kind of a refusal, which decides the exit code. `invalid` (1): the command is wrong on every machine. `cannot-run-here` (2): it
 * is refused only on these machines, or with these files.
 */
export type RefusalExit = 'invalid' | 'cannot-run-here';

/**
 * The refused command with some options changed: set to a value, switched on (''), or removed (null). The code that prints the
 * command knows what was typed, and keeps the other options.
 */
export interface OptionChange {
  change: Readonly<Record<string, string | null>>;
}

/** Another command of collbench. It keeps these options of the refused command, as they were typed. */
export interface OtherCommand {
  /** Words after "collbench", not quoted. */
  words: readonly string[];
  keep: readonly string[];
}

/** The refused command with misspelt words replaced, also within comma lists and "--name=value". */
export interface WordChange {
  rename: Readonly<Record<string, string>>;
}

/** A command of another program, in shell syntax. */
export interface ShellCommand {
  shell: string;
}

/** The next command that the user should type. It must work as printed; explanations and placeholders belong in `details`. */
export type NextStep = `collbench ${string}` | OptionChange | OtherCommand | WordChange | ShellCommand;

/** Text of an error message in its parts: of refused commands, and of runs that failed. */
export interface RefusalWording {
  /** First line of the message: the refused option or thing with its value, and mostly why. */
  message: string;
  /** Lines with the allowed values or the cause; printed indented. */
  details?: readonly string[];
  next?: NextStep;
}

/** Function that makes the message of all refusals with one code, and the kind that decides their exit code. */
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

/** Two options that exclude each other, as they were written: "--min", "-b", "nightly.yaml:3:1: min". */
export interface OptionPair {
  one: string;
  other: string;
}
