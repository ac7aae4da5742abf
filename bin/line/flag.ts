import { refuse } from '../../results/refusals/refusal.ts';
import { ValueError } from '../../suites/options/flag.ts';

/** An option of one command, with the properties that parsing and help need. Rows of the option table have this type. */
export interface LineFlag {
  /** Name without dashes. */
  name: string;
  /** Alternative spelling of the option as a single letter. */
  short?: string;
  /** Alternative name of the option. */
  alias?: string;
  isSwitch: boolean;
  /** Heading in help under which the option is listed. */
  group?: string;
  help: string;
  /** The default value as help shows it. */
  shown?: string;
  /** Allowed values as text, for error messages and full help. */
  allowed?: string;
  /** A valid example, for error messages and full help. */
  example?: string;
  /** Placeholder for the value in help. */
  value?: string;
  /** Value if the option is given without one; absent = a value is required. */
  alone?: string;
  /** Values that completion offers. */
  words?: readonly string[];
  /** True if the value is a file name, which the shell completes. */
  isFile?: boolean;
  /** Default value as text, which is parsed in the same way as a typed value. */
  fallback?: string;
  /** Converts the value's text. @throws {ValueError} if the value is invalid */
  parse(text: string): unknown;
  /**
   * Parser for a value given after the option's single letter; present only if nccl-tests gives that value another meaning than
   * the long option has.
   */
  parseShort?(text: string): unknown;
}

/** Syntax of a command: what may follow its name. */
export interface LineSyntax {
  name: string;
  /** Name and arguments: "show <run>", "topo [file..]". */
  command: string;
  flags: readonly LineFlag[];
  /** True if single letters have their meaning from nccl-tests and the command takes no arguments. */
  isMeasuring?: boolean;
}

/** True if an option's placeholder in help (FILE, DIR or PATH) says that its value is a file or folder. */
export const isFile = (value = ''): boolean => ['FILE', 'DIR', 'PATH'].includes(value);

/** The arguments in a command's syntax: `<run>` is required, `[file..]` may be given any number of times. */
export const argumentsOf = (command: string): { name: string; isRequired: boolean; isMany: boolean }[] =>
  [...command.matchAll(/([<[])(\w+)(\.\.)?[>\]]/g)].map(([, bracket, name = '', many]) => ({
    name,
    isRequired: bracket === '<',
    isMany: many !== undefined,
  }));

/**
 * Runs `parse` and turns its ValueError into a Refusal, which names the option and its allowed values.
 * @throws Refusal if the option does not allow the value
 */
export function parseFlagValue<T>(
  command: string,
  { name, allowed, example }: LineFlag,
  where: string,
  text: string,
  parse: () => T,
): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    const { message: why, meant } = error;
    const change = meant === null ? undefined : { [name]: meant };
    throw refuse('value-not-understood', { command, where, text, why, allowed, example, change });
  }
}
