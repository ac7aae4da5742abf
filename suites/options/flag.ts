/** An invalid value. The message completes "--min 7: ...". */
export class ValueError extends Error {
  /** An allowed value that the user probably meant; null if none is similar. */
  readonly meant: string | null;

  constructor(message: string, meant: string | null = null) {
    super(message);
    this.meant = meant;
  }
}

/**
 * One command-line option with all of its properties. The command line, config file, help, completion and docs/options.md all
 * read these rows.
 */
export interface OptionRow<T> {
  name: string;
  /** Single letter with the same meaning as in nccl-tests. */
  short?: string;
  /** Alternative name, for example the long name of nccl-tests. Accepted everywhere, never shown. */
  alias?: string;
  /** Heading in help under which the option is listed. */
  group: string;
  /** Placeholder for the value in help; absent if the option is a switch. */
  value?: string;
  /** Default value, used if neither the command line nor the config file has the option. */
  fallback: T;
  /** The default value as help shows it. */
  shown: string;
  /** Allowed values, for help and error messages. */
  allowed: string;
  help: string;
  /** Useful example with the option, without the words `collbench allreduce` before it. */
  example: string;
  /** Converts the value's text. @throws {ValueError} if the value is not allowed */
  parse(text: string): T;
  /** Value of the option if it is given without one; absent = a value is required. */
  alone?: string;
  /**
   * Parser for a value given after the option's single letter; present only if nccl-tests gives that value another meaning than
   * the long option has.
   */
  parseShort?(text: string): T;
  /** Values that completion offers. */
  words?: readonly string[];
}

/** Table with one `OptionRow` for each property of the options type O. */
export type OptionRowsFor<O> = { readonly [K in keyof O]: OptionRow<O[K]> };

/** Type of the values that the rows of an option table parse to, by option name. */
export type OptionValues<F> = { -readonly [K in keyof F]: F[K] extends OptionRow<infer T> ? T : never };
