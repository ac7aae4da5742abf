/** An option's value as the user wrote it, and its source for messages. */
export interface OptionText {
  text: string;
  /** Source of the value: "--min", "-b" or "nightly.yaml:3:1: min". */
  where: string;
  /** True if the value follows a letter, so it has the meaning that nccl-tests gives to the letter. */
  isLetter: boolean;
  /** True if the value is from a config file, which may also serve other commands. */
  isConfig: boolean;
}

/** The options that the user gave; defaults are not included. */
export interface ParsedOptions<K extends string> {
  has(key: K): boolean;
  get(key: K): OptionText | undefined;
  /** Source of the option as written; its long name if it was not given. */
  where(key: K): string;
  /**
   * The option if it is from the command line. Config files may have options without effect, so checks for such options use
   * this.
   */
  typed(key: K): OptionText | undefined;
}

/** No options given: all values are defaults or were set by a program. */
export const defaultsOnly: ParsedOptions<string> = {
  has: () => false,
  get: () => undefined,
  where: (key) => `--${key}`,
  typed: () => undefined,
};
