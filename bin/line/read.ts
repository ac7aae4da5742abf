// Parses a command line: yargs splits the words, the options of the command parse the values.
import yargs, { type Argv } from 'yargs';
import { Refusal, refuse } from '../../results/refusals/refusal.ts';
import { foreignFlagOf } from '../../suites/options/foreign-flags.ts';
import { keyOfName, ValueError } from '../options/index.ts';
import { asNcclTests } from './as-nccl-tests.ts';
import { argumentsOf, type LineFlag, type LineSyntax, parseFlagValue } from './flag.ts';
import { escapeDashes, normaliseWords, withoutMark } from './normalise-words.ts';
import { ParsedWords } from './parsed-words.ts';

/** Parsed values by name of the option or argument. */
export type ParsedValues = Readonly<Record<string, unknown>>;

export interface ParsedLine {
  /** Words after the name of the command, as typed. */
  words: readonly string[];
  found: ParsedValues;
  /** Options of the option table that the user gave, and how they were spelled. */
  said: ParsedWords;
  /** Notes for the user about words that were translated from nccl-tests style. */
  notes: readonly string[];
}

/** Settings of yargs: names are not converted, and values stay text, because a value such as 007 may be a label. */
const parserConfiguration = {
  'camel-case-expansion': false,
  'dot-notation': false,
  'parse-numbers': false,
  'parse-positional-numbers': false,
} as const;

/**
 * Parses the words of a command line.
 * @param words words after the name of the command
 * @throws Refusal for the first word that is invalid
 */
export function readLine(syntax: LineSyntax, words: readonly string[]): ParsedLine {
  const { flags, name } = syntax;
  const hasLetters = flags.some((flag) => flag.name === 'graph');
  const { words: ours, notes } = hasLetters ? asNcclTests(words) : { words, notes: [] };
  const reader = new LineReader(syntax, words);
  let found: ParsedValues = {};
  const parser = yargs()
    .scriptName('collbench')
    .parserConfiguration(parserConfiguration)
    .detectLocale(false)
    .help(false)
    .version(false)
    .strict()
    .command(
      syntax.command,
      false,
      (command) => reader.declare(command),
      (values) => {
        found = reader.found(values);
      },
    )
    // yargs found an error; the refusal has our own text instead of yargs' sentence.
    .fail((_sentence, error) => {
      throw reader.refusalOf(parser.parsed === false ? {} : parser.parsed.argv) ?? error;
    });
  parser.parseSync([name, ...escapeDashes(normaliseWords(ours, flags))]);
  return { words, found, said: reader.said, notes };
}

/** All names of an option without dashes: long name, letter, alternative name. */
const namesOf = ({ name, short, alias }: LineFlag): string[] => [name, short ?? [], alias ?? []].flat();

/** All spellings of an option with dashes. */
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

type RawValues = Readonly<Record<string, unknown>>;

/** Parses the words of one command line with yargs, and finds the reason if a word is invalid. */
class LineReader {
  readonly said = new ParsedWords();
  private readonly syntax: LineSyntax;
  private readonly words: readonly string[];
  /**
   * The first value that its parser rejected. It is stored here, because yargs keeps only the message of an error in `coerce`.
   */
  private refused: Refusal | null = null;

  constructor(syntax: LineSyntax, words: readonly string[]) {
    this.syntax = syntax;
    const end = words.indexOf('--');
    this.words = end < 0 ? words : words.slice(0, end);
  }

  /**
   * Declares arguments and options to yargs. Options are declared in the order typed, so that the first invalid value on the
   * line is the one reported.
   */
  declare(command: Argv): Argv {
    for (const { name } of argumentsOf(this.syntax.command)) command.positional(name, { type: 'string' });
    for (const flag of this.asTyped())
      command.option(flag.name, {
        alias: namesOf(flag).slice(1),
        type: flag.isSwitch ? 'boolean' : 'string',
        coerce: (value: unknown) => this.coerced(flag, value),
      });
    return command;
  }

  found(values: RawValues): ParsedValues {
    const refusal = this.unknownOption(values);
    if (refusal !== null) throw refusal;
    const { flags, command } = this.syntax;
    const options = flags.map(({ name, fallback, parse }) => [
      name,
      values[name] ?? (fallback === undefined || name in values ? values[name] : parse(fallback)),
    ]);
    const taken = argumentsOf(command).map(({ name, isMany }) => {
      const given = argumentValues(values[name]);
      return [name, isMany ? given : given[0]];
    });
    return Object.fromEntries([...options, ...taken].filter(([, value]) => value !== undefined));
  }

  /** The reason why the line is invalid; null if it is valid. */
  refusalOf(values: RawValues): Refusal | null {
    const { name: command, isMeasuring = false } = this.syntax;
    const unknown = this.unknownOption(values) ?? this.refused;
    if (unknown !== null) return unknown;
    const missing = argumentsOf(this.syntax.command).find(
      ({ name, isRequired }) => isRequired && argumentValues(values[name]).length === 0,
    );
    if (missing !== undefined) return refuse('word-missing', { command, word: missing.name });
    const [, surplus] = argumentValues(values._);
    return surplus === undefined ? null : refuse('word-unexpected', { command, word: surplus, isMeasuring });
  }

  private unknownOption(values: RawValues): Refusal | null {
    const known = new Set(['_', ...this.syntax.flags.flatMap(namesOf)]);
    const names = ['$0', ...argumentsOf(this.syntax.command).map(({ name }) => name)];
    // yargs always has values for these names, and would take "--run x" for the argument <run>.
    const isTyped = (name: string) => !names.includes(name) || this.words.some(isForm([`--${name}`]));
    const unknown = Object.keys(values).find((name) => !known.has(name) && isTyped(name));
    return unknown === undefined ? null : this.unknown(unknown);
  }

  private coerced(flag: LineFlag, value: unknown): unknown {
    try {
      return this.value(flag, value);
    } catch (error) {
      if (error instanceof Refusal) this.refused ??= error;
      throw error;
    }
  }

  /** The spelling with which an option was typed last: "--min", "--no-min" or "-b". */
  private spelling(flag: Pick<LineFlag, 'name' | 'short' | 'alias'>): string {
    const forms = formsOf(flag);
    const word = this.words.findLast((one) => isForm(forms)(one)) ?? '';
    return forms.find((form) => isForm([form])(word)) ?? `--${flag.name}`;
  }

  private asTyped(): LineFlag[] {
    const position = (flag: LineFlag): number => {
      const at = this.words.findIndex(isForm(formsOf(flag)));
      return at < 0 ? this.words.length : at;
    };
    return [...this.syntax.flags].sort((a, b) => position(a) - position(b));
  }

  private value(flag: LineFlag, value: unknown): unknown {
    const { name: command } = this.syntax;
    const { allowed, example, parseShort } = flag;
    const where = this.spelling(flag);
    // A list option may be given several times. For other options the joined text is an invalid value.
    const text = [value].flat().map(String).map(withoutMark).join(',');
    const isLetter = !where.startsWith('--');
    const key = keyOfName(flag.name);
    if (key !== undefined) this.said.set(key, { key, text, where, isLetter, isConfig: false });
    if (text === '') throw refuse('value-missing', { command, where, allowed, example });
    if (value === false && !flag.isSwitch) {
      const why = 'only true/false options have a --no- form';
      throw refuse('value-not-understood', { command, where, text, why, allowed, example });
    }
    return parseFlagValue(command, flag, where, text, () => {
      try {
        return isLetter && parseShort !== undefined ? parseShort(text) : flag.parse(text);
      } catch (error) {
        if (!Array.isArray(value) || !(error instanceof ValueError)) throw error;
        throw new ValueError(`given ${value.length} times, but it takes one value`);
      }
    });
  }

  private unknown(option: string): Refusal {
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

/** The words of an argument; empty if it was not given. */
const argumentValues = (value: unknown): string[] => [value ?? []].flat().map(String).map(withoutMark);
