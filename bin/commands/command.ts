import { defaultsOf, type OptionRows, type OptionValues } from '../../suites/options/option.ts';
import type { ParsedLine } from '../line/read.ts';
import type { CommandSyntax } from '../line/syntax.ts';

/** A word that shell completion offers, with its meaning (`about`) for shells that can show it. */
export interface CompletionCandidate {
  word: string;
  about?: string;
}

/** Words that shell completion offers for the word being typed, or 'files' if the shell should complete file names. */
export type Completions = readonly CompletionCandidate[] | 'files';

/** Texts of a command that `--help` shows, and the words that shell completion offers. */
interface CommandTexts extends Pick<CommandSyntax, 'argument'> {
  describe: string;
  /** Example command lines, each with its purpose. */
  examples: readonly (readonly [line: string, why: string])[];
  epilogue?: string;
  /**
   * Returns the words that shell completion offers next on a line of this command.
   * @param typed words typed so far, without options and their values
   * @param before all words typed so far
   */
  offer?(typed: readonly string[], before: readonly string[]): Promise<Completions>;
}

/**
 * A command: its syntax, help and function. The function imports other modules only when it is called, so that commands start
 * fast.
 */
export interface CommandDefinition extends CommandSyntax, CommandTexts {
  /**
   * Replaces ids and labels of stored runs by the paths of their folders, before options are parsed: parsers that read files know
   * only paths. Returns the changed words.
   */
  resolveRuns?(words: readonly string[]): Promise<readonly string[]>;
  handler(line: ParsedLine): void | Promise<void>;
}

/** Type of the value of a command's argument, by its name: text for `<run>`, a list for `<run..>`. */
type ArgumentValue<C extends string> = C extends `${string}<${infer A}..>` | `${string}[${infer A}..]`
  ? Record<A, string[]>
  : C extends `${string}<${infer A}>`
    ? Record<A, string>
    : C extends `${string}[${infer A}]`
      ? Partial<Record<A, string>>
      : unknown;

/** Values that a command's handler gets: of its options by key, defaults included, and of its argument by name. */
export type CommandValues<C extends string, R extends OptionRows> = OptionValues<R> & ArgumentValue<C>;

/**
 * Defines a command of collbench; the types of the values that `handler` gets follow from `command` and `options`.
 * @param definition `command` has the name and the argument: "show <run>"; `handler` gets the values of options and argument
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

/** Headings under which help lists the commands, each with the names of its commands. */
export type CommandGroups = readonly { readonly title: string; readonly names: readonly string[] }[];
