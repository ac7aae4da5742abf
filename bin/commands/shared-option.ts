// Options of commands that are no collective: those of the table, and their own.
import type { Options as YargsOptions } from 'yargs';
import { flags, isSwitch, type OptionKey, ValueError } from '../options/index.ts';

interface Value<T> {
  parse: (text: string) => T;
  allowed: string;
}

/** Reads one value; yargs keeps only the message of what a coerce function throws. */
function reader<T>(name: string, { parse, allowed }: Value<T>): (value: unknown) => T {
  return (value) => {
    try {
      return parse(String(value));
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      throw new Error(`--${name} ${value}: ${error.message}\n  allowed: ${allowed}`);
    }
  };
}

/** Meaning, letter and allowed values of a measuring option; its default may be another one here. */
export function shared(key: OptionKey, shown = flags[key].shown): YargsOptions {
  const { name, short, help, parse, allowed } = flags[key];
  if (isSwitch(key)) return { type: 'boolean', describe: help };
  return {
    ...(short === undefined ? {} : { alias: short }),
    type: 'string',
    requiresArg: true,
    describe: help,
    defaultDescription: shown,
    coerce: reader(name, { parse: parse as (text: string) => unknown, allowed }),
  };
}

/** An option that no collective has. */
export function own<T>(name: string, value: Value<T>, describe: string, shown?: string): YargsOptions {
  const coerce = reader(name, value);
  const described = shown === undefined ? {} : { defaultDescription: shown };
  return { type: 'string', requiresArg: true, describe, coerce, ...described };
}
