import { parseArgs } from 'node:util';
import { findCommand } from './commands/index.ts';
import { CommandError } from './exit.ts';
import { nearest } from './nearest.ts';

/** A flag of a command that measures nothing. */
export interface SmallFlag {
  type: 'string' | 'boolean';
  value?: string;
  help: string;
}

export interface SmallWords {
  values: Record<string, string | boolean | undefined>;
  positionals: string[];
}

/** @throws CommandError for an unknown flag (with the nearest), a missing value, or more words than `most` */
export function parseSmall(name: string, words: readonly string[], most: number): SmallWords {
  const flags = findCommand(name)?.flags ?? {};
  const options = Object.fromEntries(Object.entries(flags).map(([flag, { type }]) => [flag, { type }]));
  const allowed = Object.keys(flags).map((flag) => `--${flag}`);
  const next = `Next: collbench ${name} --help`;
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      options,
      allowPositionals: true,
      strict: true,
    });
    if (positionals.length > most) {
      const what = most === 0 ? 'no words' : `at most ${most}`;
      throw new CommandError(`${name}: '${positionals[most]}' is one word too many`, [
        `  allowed: ${what}`,
        next,
      ]);
    }
    return { values: values as SmallWords['values'], positionals };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
      const word = /'(-[^'= ]*)/.exec(message)?.[1] ?? '';
      const match = nearest(word.replace(/^-+/, ''), [...Object.keys(flags), 'help']);
      const line =
        match === null ? `  allowed: ${[...allowed, '--help'].join(', ')}` : `  did you mean --${match}?`;
      throw new CommandError(`${word}: ${name} has no such option`, [line, next]);
    }
    if (code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE') {
      throw new CommandError(`${name}: ${message.split('\n')[0]}`, [next]);
    }
    throw error;
  }
}
