import type { Completions } from '../line/candidates.ts';
import type { LineSyntax } from '../line/flag.ts';
import type { ParsedLine } from '../line/read.ts';

/** A command: its syntax, help and function. Handlers import what they need when they are called, so that starts are fast. */
export interface CommandDefinition extends LineSyntax {
  describe: string;
  /** Example command lines, each with its purpose. */
  examples: readonly (readonly [line: string, why: string])[];
  /** Help text for its arguments. */
  argument?: { help: string; shown?: string };
  epilogue?: string;
  /**
   * Completion of the next word.
   * @param said   words so far, without options and their values
   * @param before all words so far
   */
  offer?(said: readonly string[], before: readonly string[]): Promise<Completions>;
  /** Replaces names of stored runs by their folders, for options that read files while the line is parsed. */
  resolveRuns?(words: readonly string[]): Promise<readonly string[]>;
  handler(line: ParsedLine): void | Promise<void>;
}

/** Command names by heading of help. */
export type CommandGroups = readonly { readonly title: string; readonly names: readonly string[] }[];
