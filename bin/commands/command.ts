import { defaultsOf, type OptionRows, type OptionValues } from '../../suites/options/option.ts';
import type { ParsedLine } from '../line/read.ts';
import type { CommandSyntax } from '../line/syntax.ts';

/** A word that completion offers, with its meaning for shells that can show it. */
export interface CompletionCandidate {
  word: string;
  about?: string;
}

/** Words that completion offers, or 'files' if the shell should complete file names. */
export type Completions = readonly CompletionCandidate[] | 'files';

/** Texts of a command for help, and its completions. */
interface CommandTexts {
  describe: string;
  /** Example command lines, each with its purpose. */
  examples: readonly (readonly [line: string, why: string])[];
  /** Help text for the command's arguments. */
  argument?: { help: string; shown?: string };
  epilogue?: string;
  /**
   * Returns the completions of the next word.
   * @param said words typed so far, without options and their values
   * @param before all words typed so far
   */
  offer?(said: readonly string[], before: readonly string[]): Promise<Completions>;
}

/**
 * A command: its syntax, help and function. The function imports other modules only when it is called, so that commands start
 * fast.
 */
export interface CommandDefinition extends CommandSyntax, CommandTexts {
  /**
   * Replaces names of stored runs by the paths of their folders. Needed for options whose parsers read files. Returns the
   * changed words.
   */
  resolveRuns?(words: readonly string[]): Promise<readonly string[]>;
  handler(line: ParsedLine): void | Promise<void>;
}

/** Value of a command's argument by its name: text for `<run>`, a list for `<run..>`. */
type ArgumentValue<C extends string> = C extends `${string}<${infer A}..>` | `${string}[${infer A}..]`
  ? Record<A, string[]>
  : C extends `${string}<${infer A}>`
    ? Record<A, string>
    : C extends `${string}[${infer A}]`
      ? Partial<Record<A, string>>
      : unknown;

/** Values of a command's options, and of its argument. */
export type CommandValues<C extends string, R extends OptionRows> = OptionValues<R> & ArgumentValue<C>;

/**
 * Defines a command in the form of a yargs module.
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

/** Command names, each list under its heading in help. */
export type CommandGroups = readonly { readonly title: string; readonly names: readonly string[] }[];
