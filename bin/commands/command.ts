import type { Completions } from '../line/candidates.ts';
import type { LineSyntax } from '../line/flag.ts';
import type { ParsedLine } from '../line/read.ts';

/**
 * A command: its syntax, help and function. The function imports other modules only when it is called, so that commands start
 * fast.
 */
export interface CommandDefinition extends LineSyntax {
  describe: string;
  /** Example command lines, each with its purpose. */
  examples: readonly (readonly [line: string, why: string])[];
  /** Help text for the command's arguments. */
  argument?: { help: string; shown?: string };
  epilogue?: string;
  /**
   * Returns the completions of the next word.
   * @param said words typed so far, without options and their values
   * @param before all words typed so far
   */
  offer?(said: readonly string[], before: readonly string[]): Promise<Completions>;
  /**
   * Replaces names of stored runs by the paths of their folders. Needed for options whose parsers read files. Returns the
   * changed words.
   */
  resolveRuns?(words: readonly string[]): Promise<readonly string[]>;
  handler(line: ParsedLine): void | Promise<void>;
}

/** Command names, each list under its heading in help. */
export type CommandGroups = readonly { readonly title: string; readonly names: readonly string[] }[];
