import type { Completions } from '../line/candidates.ts';
import type { LineSyntax } from '../line/flag.ts';
import type { ParsedLine } from '../line/read.ts';

/** A command: what it takes, what help says of it, and what it does. Handlers import what they need when they are called. */
export interface CommandDefinition extends LineSyntax {
  describe: string;
  /** Whole command lines, each with what it is good for. */
  examples: readonly (readonly [line: string, why: string])[];
  /** What its words are, for help. */
  argument?: { help: string; shown?: string };
  epilogue?: string;
  /**
   * What completion offers for its next word.
   * @param said   words so far, without options and their values
   * @param before all words so far
   */
  offer?(said: readonly string[], before: readonly string[]): Promise<Completions>;
  /** The words with names of stored runs as their folders, for what reads files while it parses the line. */
  resolveRuns?(words: readonly string[]): Promise<readonly string[]>;
  handler(line: ParsedLine): void | Promise<void>;
}

/** Names of commands under a heading of help. */
export type CommandGroups = readonly { readonly title: string; readonly names: readonly string[] }[];
