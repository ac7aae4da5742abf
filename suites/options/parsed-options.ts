/** An option's value as the user wrote it, and its source for messages. */
export interface OptionText {
  text: string;
  /** Source of the value: "--min", "-b" or "nightly.yaml:3:1: min". */
  where: string;
  /**
   * True if the value follows a single letter such as -b. The value then has the meaning that nccl-tests gives to the letter.
   */
  isLetter: boolean;
  /** True if the value is from a config file. A config file may also contain options for other commands. */
  isConfig: boolean;
}

/** The options that the user gave, by key, with their text and source; default values are not included. */
export interface ParsedOptions<K extends string> {
  has(key: K): boolean;
  get(key: K): OptionText | undefined;
  /** Source of the option's value for messages, such as "-b"; the long name if the option was not given. */
  where(key: K): string;
  /**
   * The option if it was given on the command line; undefined if it is from a config file or absent. Checks that reject options
   * without effect use this, because such options are allowed in config files.
   */
  typed(key: K): OptionText | undefined;
}

/** Parsed options in which no option is given: all values are defaults or were set by a program. */
export const defaultsOnly: ParsedOptions<string> = {
  has: () => false,
  get: () => undefined,
  where: (key) => `--${key}`,
  typed: () => undefined,
};
