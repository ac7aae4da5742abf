import { defaultsOf, type OptionRows, type OptionValues } from '../../suites/options/option.ts';
import type { ParsedLine } from '../line/read.ts';
import type { CommandSyntax } from '../line/syntax.ts';

/** A word that shell completion offers, with its meaning (`about`) for shells that can show it. */
export interface CompletionCandidate {
  word: string;
  about?: string;
}

/** Words that shell completion offers for the word that the user is typing, or 'files' if the shell should complete file names. */
export type Completions = readonly CompletionCandidate[] | 'files';

/** Texts that `--help` shows about a command, and the words that shell completion offers for it. */
interface CommandTexts extends Pick<CommandSyntax, 'argument'> {
  describe: string;
  /** Example command lines, each with its purpose. */
  examples: readonly (readonly [line: string, why: string])[];
  epilogue?: string;
  /**
   * Returns the words that shell completion offers for the argument that is being typed. Absent = no words are offered.
   * @param typed arguments between the command's name and this argument, without options and their values; empty for the first
   * @param before all words between the command's name and this argument
   */
  offer?(typed: readonly string[], before: readonly string[]): Promise<Completions>;
}

/**
 * A command: its syntax, help and handler. The handler imports other modules only when it is called, so that collbench starts fast.
 */
export interface CommandDefinition extends CommandSyntax, CommandTexts {
  /**
   * Replaces ids and labels of stored runs among the words by the paths of the runs' folders, and returns the words. It is called
   * before options are parsed, because parsers that read files know only paths. Absent = the words are used as typed. Rejects with
   * a StoreError if a word names a suite, explanation or bisection.
   */
  resolveRuns?(words: readonly string[]): Promise<readonly string[]>;
  handler(line: ParsedLine): void | Promise<void>;
}

/** Type of the value of a command's argument, keyed by the argument's name: text for `<run>`, a list of texts for `<run..>`. */
type ArgumentValue<C extends string> = C extends `${string}<${infer A}..>` | `${string}[${infer A}..]`
  ? Record<A, string[]>
  : C extends `${string}<${infer A}>`
    ? Record<A, string>
    : C extends `${string}[${infer A}]`
      ? Partial<Record<A, string>>
      : unknown;

/** Values that a command's handler gets: option values by key, defaults included, and argument values by the argument's name. */
export type CommandValues<C extends string, R extends OptionRows> = OptionValues<R> & ArgumentValue<C>;

/**
 * Defines a command of collbench; the types of the values that `handler` gets follow from `command` and `options`. Options that the
 * user did not give have their defaults.
 * @param definition `command` has the name and the argument, as in "show <run>"; `handler` gets the values of options and argument
 */
export const defineCommand = <const C extends string, R extends OptionRows>({
  handler,
  ...definition
}: CommandTexts & {
  command: C;
  options: R;
  handler(values: CommandValues<C, R>, line: ParsedLine): void | Promise<void>;
}): CommandDefinition => ({
  ...definition,
  name: definition.command.split(' ', 1)[0] ?? '',
  handler: (line) =>
    handler({ ...defaultsOf(definition.options), ...line.values } as CommandValues<C, R>, line),
});

/** Headings under which help lists the commands; `names` are the names of the commands below a heading. */
export type CommandGroups = readonly { readonly title: string; readonly names: readonly string[] }[];
