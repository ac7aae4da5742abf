/**
 * Where a refused command would be refused as well: `invalid` anywhere (exit code 1), `cannot-run-here` on these
 * machines or with these files, though it may run elsewhere or later (exit code 2).
 */
export type RefusalExit = 'invalid' | 'cannot-run-here';

/**
 * The refused command once more, with options set to other values, switched on (''), or left out (null). Whoever prints it
 * knows what was typed, so that nothing of it is lost.
 */
export interface OptionChange {
  change: Readonly<Record<string, string | null>>;
}

/** A command of another program, as a shell takes it. */
export interface ShellCommand {
  shell: string;
}

/** What to type next. It must work where it is printed: prose and placeholders belong into the details. */
export type NextStep = `collbench ${string}` | OptionChange | ShellCommand;

/** What people read, as the wording of a failure: details are indented. */
export interface RefusalWording {
  /** Names what was refused and its value. */
  message: string;
  /** What is allowed, or the cause. */
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
