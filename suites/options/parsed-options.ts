/** An option's value as the user wrote it, and where the user wrote it. */
export interface OptionText {
  text: string;
  /** Source of the value: "--min", "-b" or "nightly.yaml:3:1: min". */
  where: string;
  /**
   * True if the value follows a single letter such as -b. The value then has the meaning that nccl-tests gives to the letter.
   */
  isLetter: boolean;
  /** True if the value is from a config file. Such a file may also contain options that do not apply to this command. */
  isConfig: boolean;
}

/** The options that the user gave, by key, with their text and source; default values are not included. */
export interface ParsedOptions<K extends string> {
  has(key: K): boolean;
  get(key: K): OptionText | undefined;
  /** Source of the option's value for messages, such as "-b"; the long name, "--min", if the option was not given. */
  where(key: K): string;
  /**
   * The option if the user typed it on the command line; undefined if it is from a config file or absent. Checks for options
   * without effect use it, because in config files such options are allowed.
   */
  typed(key: K): OptionText | undefined;
}

/** Parsed options of a user who gave none: all values are defaults or were set by a program. */
export const defaultsOnly: ParsedOptions<string> = {
  has: () => false,
  get: () => undefined,
  where: (key) => `--${key}`,
  typed: () => undefined,
};
