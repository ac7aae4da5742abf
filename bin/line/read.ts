// Parses a command line: yargs splits the words, the options of the command parse the values.
import yargs, { type Argv } from 'yargs';
import { Refusal, refuse } from '../../results/refusals/refusal.ts';
import { foreignFlagOf } from '../../suites/options/foreign-flags.ts';
import {
  formsOf,
  isForm,
  isSwitch,
  meantOption,
  namesOf,
  type OptionRow,
  optionName,
  shownRows,
} from '../../suites/options/option.ts';
import { ValueError } from '../../suites/options/values.ts';
import { isOptionKey, ParsedWords } from '../options/index.ts';
import { asNcclTests } from './as-nccl-tests.ts';
import { escapeDashes, normaliseWords, withoutMark } from './normalise-words.ts';
import { renameWords } from './retype-command.ts';
import { argumentsOf, type CommandSyntax, parseOption } from './syntax.ts';

/**
 * Parsed values of a command line: of each option that the user gave, by key, and of the command's argument, by the argument's
 * name.
 */
export type ParsedValues = Readonly<Record<string, unknown>>;

export interface ParsedLine {
  /** Words after the name of the command, as typed. */
  words: readonly string[];
  values: ParsedValues;
  /** Options of measuring commands that the user gave, by key, each with its text and how it was typed, such as -b. */
  said: ParsedWords;
  /** Notes for the user about words in nccl-tests style that were translated. */
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
 * Parses the words of a command line and the values of its options.
 * @param syntax the command's arguments and options
 * @param words words after the name of the command
 * @throws Refusal for the first word that is invalid
 */
export function readLine(syntax: CommandSyntax, words: readonly string[]): ParsedLine {
  const { options, name } = syntax;
  const { words: ours, notes } = 'graph' in options ? asNcclTests(words) : { words, notes: [] };
  const reader = new LineReader(syntax, words);
  let values: ParsedValues = {};
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
      (raw) => {
        values = reader.found(raw);
      },
    )
    // yargs found an error. The user gets collbench's own text instead of the sentence of yargs.
    .fail((_sentence, error) => {
      throw reader.refusalOf(parser.parsed === false ? {} : parser.parsed.argv) ?? error;
    });
  parser.parseSync([name, ...escapeDashes(normaliseWords(ours, options))]);
  return { words, values, said: reader.said, notes };
}

/**
 * Corrections of misspelt options: from each word as typed to the right one; {} if the line is valid. Null if the line would be
 * rejected even with the corrections.
 */
export function renamesOf(syntax: CommandSyntax, words: readonly string[]): Record<string, string> | null {
  try {
    readLine(syntax, words);
    return {};
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const [values] = error.code === 'option-unknown' ? (error as Refusal<'option-unknown'>).values : [];
    return values?.rename ?? null;
  }
}

type RawValues = Readonly<Record<string, unknown>>;

/** Parses the words of one command line with yargs, and finds the reason if a word is invalid. */
class LineReader {
  readonly said = new ParsedWords();
  private readonly syntax: CommandSyntax;
  /** Words after the name of the command, as typed. */
  private readonly line: readonly string[];
  /** Words after the name of the command up to "--". Words after "--" are the command line of another program. */
  private readonly words: readonly string[];
  /** Error about the first value that its parser rejected. It is stored here, because yargs keeps only the message of an error. */
  private refused: Refusal | null = null;

  constructor(syntax: CommandSyntax, words: readonly string[]) {
    this.syntax = syntax;
    this.line = words;
    const end = words.indexOf('--');
    this.words = end < 0 ? words : words.slice(0, end);
  }

  /**
   * Declares arguments and options to yargs. Options are declared in the order in which the user typed them, so that the first
   * invalid value on the line is the one that is reported.
   */
  declare(command: Argv): Argv {
    for (const { name } of argumentsOf(this.syntax.command)) command.positional(name, { type: 'string' });
    for (const [key, row] of this.asTyped())
      command.option(optionName(key), {
        alias: row.alias ?? [],
        type: row.type ?? 'string',
        coerce: (value: unknown) => this.coerced(key, row, value),
      });
    return command;
  }

  found(values: RawValues): ParsedValues {
    const refusal = this.unknownOption(values);
    if (refusal !== null) throw refusal;
    const { options, command } = this.syntax;
    const given = Object.keys(options).map((key) => [key, values[optionName(key)]]);
    const taken = argumentsOf(command).map(({ name, isMany }) => {
      const words = argumentValues(values[name]);
      return [name, isMany ? words : words[0]];
    });
    return Object.fromEntries([...given, ...taken].filter(([, value]) => value !== undefined));
  }

  /**
   * The error to show if yargs rejected the line: an unknown option, a rejected value, a missing or an unexpected word. Null for
   * any other reason.
   * @param values values of options and arguments as yargs parsed them
   */
  refusalOf(values: RawValues): Refusal | null {
    const { name: command, isMeasuring = false, argument } = this.syntax;
    const unknown = this.unknownOption(values) ?? this.refused;
    if (unknown !== null) return unknown;
    const missing = argumentsOf(this.syntax.command).find(
      ({ name, isRequired }) => isRequired && argumentValues(values[name]).length === 0,
    );
    if (missing !== undefined)
      return refuse('word-missing', { command, word: missing.name, allowed: argument?.help });
    const [, surplus] = argumentValues(values._);
    return surplus === undefined ? null : refuse('word-unexpected', { command, word: surplus, isMeasuring });
  }

  private unknownOption(values: RawValues): Refusal | null {
    const rows = Object.entries(this.syntax.options);
    const known = new Set(['_', ...rows.flatMap(([key, row]) => namesOf(key, row))]);
    const names = ['$0', ...argumentsOf(this.syntax.command).map(({ name }) => name)];
    // yargs always has values for these names, and would take "--run x" for the argument <run>.
    const isTyped = (name: string) => !names.includes(name) || this.words.some(isForm([`--${name}`]));
    const unknown = Object.keys(values).find((name) => !known.has(name) && isTyped(name));
    return unknown === undefined ? null : this.unknown(unknown);
  }

  private coerced(key: string, row: OptionRow, value: unknown): unknown {
    try {
      return this.value(key, row, value);
    } catch (error) {
      if (error instanceof Refusal) this.refused ??= error;
      throw error;
    }
  }

  /**
   * The form in which an option was typed last: "--min", "--no-min" or "-b".
   * @param names names of the option without leading dashes (long name, letter, aliases), the long name first
   */
  private spelling(names: readonly string[]): string {
    const forms = formsOf(names);
    const word = this.words.findLast((one) => isForm(forms)(one)) ?? '';
    return forms.find((form) => isForm([form])(word)) ?? `--${names[0]}`;
  }

  private asTyped(): [key: string, row: OptionRow][] {
    const position = ([key, row]: readonly [string, OptionRow]): number => {
      const at = this.words.findIndex(isForm(formsOf(namesOf(key, row))));
      return at < 0 ? this.words.length : at;
    };
    return Object.entries(this.syntax.options).sort((a, b) => position(a) - position(b));
  }

  private value(key: string, row: OptionRow, value: unknown): unknown {
    const { name: command } = this.syntax;
    const { allowed, example, coerce, coerceLetter = coerce } = row;
    const where = this.spelling(namesOf(key, row));
    // A list option may be given several times. For other options the joined text is an invalid value.
    const text = [value].flat().map(String).map(withoutMark).join(',');
    const isLetter = !where.startsWith('--');
    const written = { text, where, isLetter, isConfig: false };
    if (isOptionKey(key)) this.said.set(key, { key, ...written });
    else this.said.ofWorkload.set(key, written);
    if (text === '') throw refuse('value-missing', { command, where, allowed, example });
    if (value === false && !isSwitch(row)) {
      const why = 'only true/false options have a --no- form';
      throw refuse('value-not-understood', { command, where, text, why, allowed, example });
    }
    return parseOption(command, [key, row], where, text, () => {
      try {
        return isLetter ? coerceLetter(text) : coerce(text);
      } catch (error) {
        if (!Array.isArray(value) || !(error instanceof ValueError)) throw error;
        throw new ValueError(`given ${value.length} times, but it takes one value`);
      }
    });
  }

  private unknown(option: string): Refusal {
    const { name: command, options, isMeasuring = false } = this.syntax;
    const where = this.spelling(option.length === 1 ? [option, option] : [option]);
    const foreign = isMeasuring ? foreignFlagOf(option) : undefined;
    if (foreign !== undefined) {
      const { means, instead } = foreign;
      return refuse('option-of-nccl-tests', { where, means, instead });
    }
    const shown = shownRows(options);
    const known = Object.keys(shown).map(optionName);
    const meant = meantOption(option, shown);
    const rename = this.renamesWith(where, meant);
    return refuse('option-unknown', { command, where, known, meant, isMeasuring, rename });
  }

  /**
   * Corrections of all misspelt options of the line, with `meant` for the option `where`. Null if the line would be rejected even
   * with them, or if `meant` is null.
   * @param where the option as typed
   * @param meant name of the option that the user probably meant; null = no name is similar
   */
  private renamesWith(where: string, meant: string | null): Record<string, string> | null {
    if (meant === null) return null;
    const rename = { [where]: `--${where.startsWith('--no-') ? 'no-' : ''}${meant}` };
    const others = renamesOf(this.syntax, renameWords(this.line, rename));
    return others === null ? null : { ...rename, ...others };
  }
}

/** The words given for an argument; empty if the user gave none. */
const argumentValues = (value: unknown): string[] => [value ?? []].flat().map(String).map(withoutMark);
