/** A value as somebody wrote it, and where, for messages. */
export interface OptionText {
  text: string;
  /** "--min", "-b" or "nightly.yaml:3:1: min". */
  where: string;
  /** Read with the meaning nccl-tests gives to the letter. */
  isLetter: boolean;
  /** In a config file, which may serve several commands. */
  isConfig: boolean;
}

/** Which options were said, and where; defaults are not among them. */
export interface ParsedOptions<K extends string> {
  has(key: K): boolean;
  get(key: K): OptionText | undefined;
  /** How it was written; the long name where it was not. */
  where(key: K): string;
  /** On the command line: what a config file says without need is no mistake. */
  typed(key: K): OptionText | undefined;
}

/** Nothing was said: options came from a program. */
export const defaultsOnly: ParsedOptions<string> = {
  has: () => false,
  get: () => undefined,
  where: (key) => `--${key}`,
  typed: () => undefined,
};
