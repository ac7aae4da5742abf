// A command line as values: yargs-parser takes the words apart, the flags of the command say what they mean.

import parse from 'yargs-parser';
import { refuse } from '../../results/refusals/refusal.ts';
import { foreignFlagOf } from '../../suites/options/foreign-flags.ts';
import { keyOfName, ValueError } from '../options/index.ts';
import { asNcclTests } from './as-nccl-tests.ts';
import { type LineFlag, type LineSyntax, wordsOf } from './flag.ts';
import { normalised } from './normalised.ts';
import { SaidWords } from './said.ts';

/** What was read, by the name of the option, or of the words that it takes. */
export type Found = Readonly<Record<string, unknown>>;

export interface Line {
  /** Behind the name of the command, as typed. */
  words: readonly string[];
  found: Found;
  /** Options of the table, and how they were written. */
  said: SaidWords;
  /** What was taken otherwise than it was typed. */
  notes: readonly string[];
}

const habits = {
  'camel-case-expansion': false,
  'dot-notation': false,
  'parse-numbers': false,
  'parse-positional-numbers': false,
} as const;

/**
 * @param words behind the name of the command
 * @throws Refusal the first word that is not understood
 */
export function readLine(syntax: LineSyntax, words: readonly string[]): Line {
  const { flags, isMeasuring = false, name } = syntax;
  const line = new LineReader(syntax, words);
  const { words: ours, notes } = measures(flags) ? asNcclTests(words) : { words, notes: [] };
  const given = parse(normalised(ours, flags), {
    boolean: namesOf(flags.filter(({ isSwitch }) => isSwitch)),
    string: namesOf(flags.filter(({ isSwitch }) => !isSwitch)),
    alias: Object.fromEntries(flags.map((flag) => [flag.name, otherNames(flag)])),
    configuration: habits,
  });
  const { _: rest, ...values } = given;
  const names = new Set(flags.flatMap((flag) => [flag.name, ...otherNames(flag)]));
  const unknown = Object.keys(values).find((option) => !names.has(option));
  if (unknown !== undefined) throw line.unknown(unknown);
  const said = new SaidWords();
  const found: Record<string, unknown> = {};
  for (const flag of line.asTyped(flags)) {
    const value = values[flag.name];
    const read = value === undefined ? line.fallback(flag) : line.value(flag, value, said);
    if (read !== undefined) found[flag.name] = read;
  }
  const spare = rest.map(String);
  for (const { name: word, isRequired, isMany } of wordsOf(syntax.command)) {
    const taken = spare.splice(0, isMany ? spare.length : 1);
    if (isRequired && taken.length === 0) throw refuse('word-missing', { command: name, word });
    if (isMany) found[word] = taken;
    else if (taken[0] !== undefined) found[word] = taken[0];
  }
  const [surplus] = spare;
  if (surplus !== undefined) throw refuse('word-unexpected', { command: name, word: surplus, isMeasuring });
  return { words, found, said, notes };
}

const namesOf = (flags: readonly LineFlag[]): string[] => flags.map(({ name }) => name);

const otherNames = ({ short, alias }: LineFlag): string[] => [short ?? [], alias ?? []].flat();

const measures = (flags: readonly LineFlag[]): boolean => flags.some(({ name }) => name === 'graph');

/** How an option may be written. */
const formsOf = ({ name, short, alias }: Pick<LineFlag, 'name' | 'short' | 'alias'>): string[] => [
  `--${name}`,
  `--no-${name}`,
  ...(short === undefined ? [] : [`-${short}`]),
  ...(alias === undefined ? [] : [`--${alias}`]),
];

const isForm =
  (forms: readonly string[]) =>
  (word: string): boolean =>
    forms.some((form) => word === form || word.startsWith(form.startsWith('--') ? `${form}=` : form));

/** @throws Refusal a value that the flag does not take */
export function understood<T>(
  command: string,
  { allowed, example }: LineFlag,
  where: string,
  text: string,
  parse: () => T,
): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    const why = error.message;
    throw refuse('value-not-understood', { command, where, text, why, allowed, example });
  }
}

class LineReader {
  private readonly syntax: LineSyntax;
  private readonly words: readonly string[];

  constructor(syntax: LineSyntax, words: readonly string[]) {
    this.syntax = syntax;
    this.words = words;
  }

  /** How an option was written last: "--min", "--no-min" or "-b". */
  private spelling(flag: Pick<LineFlag, 'name' | 'short' | 'alias'>): string {
    const forms = formsOf(flag);
    const word = this.words.findLast((one) => isForm(forms)(one)) ?? '';
    return forms.find((form) => isForm([form])(word)) ?? `--${flag.name}`;
  }

  /** Those that were said first, as they were. */
  asTyped(flags: readonly LineFlag[]): LineFlag[] {
    const at = (flag: LineFlag): number => {
      const isIt = isForm(formsOf(flag));
      const place = this.words.findIndex(isIt);
      return place < 0 ? this.words.length : place;
    };
    return [...flags].sort((a, b) => at(a) - at(b));
  }

  value(flag: LineFlag, value: unknown, said: SaidWords): unknown {
    const where = this.spelling(flag);
    // An option that takes a list may be said more than once; for the others the list is no value.
    const text = String(value);
    const isLetter = !where.startsWith('--');
    const key = keyOfName(flag.name);
    if (key !== undefined) said.set(key, { key, text, where, isLetter, isConfig: false });
    if (text === '') throw this.missingValue(flag, where);
    if (value === false && !flag.isSwitch) {
      const why = 'only true/false options have a --no- form';
      const { allowed, example } = flag;
      throw refuse('value-not-understood', { command: this.syntax.name, where, text, why, allowed, example });
    }
    const { parseShort } = flag;
    const isForeign = isLetter && parseShort !== undefined;
    return understood(this.syntax.name, flag, where, text, () => {
      try {
        return isForeign ? parseShort(text) : flag.parse(text);
      } catch (error) {
        if (!Array.isArray(value) || !(error instanceof ValueError)) throw error;
        throw new ValueError(`given ${value.length} times, but it takes one value`);
      }
    });
  }

  fallback(flag: LineFlag): unknown {
    return flag.fallback === undefined ? undefined : flag.parse(flag.fallback);
  }

  private missingValue({ allowed, example }: LineFlag, where: string) {
    return refuse('value-missing', { command: this.syntax.name, where, allowed, example });
  }

  unknown(option: string) {
    const { name: command, flags, isMeasuring = false } = this.syntax;
    const where = this.spelling({ name: option, ...(option.length === 1 ? { short: option } : {}) });
    const foreign = isMeasuring ? foreignFlagOf(option) : undefined;
    if (foreign !== undefined) {
      const { means, instead } = foreign;
      return refuse('option-of-nccl-tests', { where, means, instead });
    }
    const known = flags.map(({ name }) => name);
    return refuse('option-unknown', { command, where, option, known, isMeasuring });
  }
}
