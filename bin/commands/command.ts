import type { Argv } from 'yargs';
import type { Found } from './found.ts';

/** A command as help and yargs take it. Handlers import what they need when they are called. */
export interface Command {
  name: string;
  /** Name and positional words: "show <run>". */
  command: string;
  describe: string;
  /** Whole command lines, each with what it is good for. */
  examples: readonly (readonly [line: string, why: string])[];
  builder(parser: Argv): Argv;
  handler(found: Found): void | Promise<void>;
}

/** Examples as shell lines, each below what it is good for: two columns would break them. */
export function withExamples(parser: Argv, examples: Command['examples']): Argv {
  for (const [line, why] of examples) parser.example(`# ${why}`, '').example(line, '');
  return parser;
}
