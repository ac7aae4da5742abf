/**
 * Where else the command would be refused. `invalid`: on every machine (exit code 1). `cannot-run-here`: on these machines or
 * with these files; it may run elsewhere or later (exit code 2).
 */
export type RefusalExit = 'invalid' | 'cannot-run-here';

/**
 * The refused command with changed options: set to a value, switched on (''), or removed (null). The code that prints it has the
 * typed command, so that the other options are kept.
 */
export interface OptionChange {
  change: Readonly<Record<string, string | null>>;
}

/** A command of another program, in shell syntax. */
export interface ShellCommand {
  shell: string;
}

/** The next command to type. It must work as printed; explanations and placeholders belong in `details`. */
export type NextStep = `collbench ${string}` | OptionChange | ShellCommand;

/** Text of a refusal for users, with the same parts as that of a failure. Details are printed indented. */
export interface RefusalWording {
  /** The refused thing and its value. */
  message: string;
  /** Allowed values, or the cause. */
  details?: readonly string[];
  next?: NextStep;
}

/** A row of the table of refusals. */
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

/** Two options as they were written: "--min", "-b", "nightly.yaml:3:1: min". */
export interface OptionPair {
  one: string;
  other: string;
}
