import type { Argv, CommandModule, Options } from 'yargs';

/** A command as yargs wants it, with what help shows. Handlers import what they need when they are called. */
export interface Command extends CommandModule {
  name: string;
  /** Name and positional words: "show <run>". */
  command: string;
  describe: string;
  /** Whole command lines, each with what it is good for. */
  examples: readonly (readonly [line: string, why: string])[];
}

export const rootOption = {
  root: { type: 'string', requiresArg: true, describe: 'Where runs are kept', default: 'collbench-runs' },
} as const satisfies Record<string, Options>;

export const jsonOption = {
  json: { type: 'boolean', describe: 'One JSON object per line' },
} as const satisfies Record<string, Options>;

/** Examples as shell lines, each below what it is good for: two columns would break them. */
export function withExamples(parser: Argv, examples: Command['examples']): Argv {
  for (const [line, why] of examples) parser.example(`# ${why}`, '').example(line, '');
  return parser;
}
