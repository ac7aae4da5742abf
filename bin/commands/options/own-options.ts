// Options that a command has of its own, as a table: help, reading and types come from its rows.
import type { Options as YargsOptions } from 'yargs';
import { defaultRoot } from '../../../results/store/paths.ts';
import { ValueError } from '../../options/index.ts';
import type { Found } from '../found.ts';

interface Switch {
  help: string;
  /** The default as help shows it. */
  shown?: string;
}

interface Valued<T> extends Switch {
  /** One letter. */
  short?: string;
  /** Read as if it had been said. */
  fallback?: string;
  /** For the error. */
  allowed?: string;
  /** @throws {ValueError} */
  parse(text: string): T;
}

export type OwnFlags = Readonly<Record<string, Switch | Valued<unknown>>>;
type ValueOf<F> = F extends { parse(text: string): infer T }
  ? F extends { fallback: string }
    ? T
    : T | undefined
  : boolean;
export type OwnValues<F extends OwnFlags> = { readonly [K in keyof F]: ValueOf<F[K]> };

export interface OptionTable<F extends OwnFlags> {
  /** For yargs. */
  options: Record<string, YargsOptions>;
  read(found: Found): OwnValues<F>;
}

function reader({ parse, allowed = 'another value' }: Valued<unknown>, name: string) {
  return (value: unknown): unknown => {
    if (value === undefined) return undefined;
    try {
      return parse(String(value));
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      // yargs keeps only the message of what a coerce function throws.
      throw new Error(`--${name} ${value}: ${error.message}\n  allowed: ${allowed}`);
    }
  };
}

function yargsOption(flag: Switch | Valued<unknown>, name: string): YargsOptions {
  const shown = flag.shown === undefined ? {} : { defaultDescription: flag.shown };
  if (!('parse' in flag)) return { type: 'boolean', describe: flag.help, ...shown };
  const { short, fallback } = flag;
  return {
    type: 'string',
    requiresArg: true,
    describe: flag.help,
    coerce: reader(flag, name),
    ...(short === undefined ? {} : { alias: short }),
    ...(fallback === undefined ? {} : { default: fallback }),
    ...shown,
  };
}

/** @param flags by name as typed, without the dashes */
export function optionTable<F extends OwnFlags>(flags: F): OptionTable<F> {
  const rows = Object.entries(flags);
  return {
    options: Object.fromEntries(rows.map(([name, flag]) => [name, yargsOption(flag, name)])),
    read: (found) =>
      Object.fromEntries(
        rows.map(([name, flag]) => [name, 'parse' in flag ? found[name] : found[name] === true]),
      ) as OwnValues<F>,
  };
}

export const rootFlag = {
  root: { help: 'Where runs are kept', fallback: defaultRoot, parse: String },
} as const satisfies OwnFlags;

export const jsonFlag = { json: { help: 'One JSON object per line' } } as const satisfies OwnFlags;
