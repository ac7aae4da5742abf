/** A value that cannot be understood: the message completes "--min 7: ...". */
export class ValueError extends Error {
  /** A value that the option takes and that was probably meant; null if there is none. */
  readonly meant: string | null;

  constructor(message: string, meant: string | null = null) {
    super(message);
    this.meant = meant;
  }
}

/** One flag. Command line, config file, help, completion and docs/options.md all come from these rows. */
export interface OptionRow<T> {
  name: string;
  /** Letter of nccl-tests, with its meaning there. */
  short?: string;
  /** Another name, such as the long one of nccl-tests: understood everywhere and shown nowhere. */
  alias?: string;
  /** Heading in help. */
  group: string;
  /** Stands for the value in help; absent where the flag is a switch. */
  value?: string;
  /** Used when neither the command line nor the config file says anything. */
  fallback: T;
  /** The default as help shows it. */
  shown: string;
  /** What is allowed, for help and for the error. */
  allowed: string;
  help: string;
  /** A use worth copying, without `collbench allreduce`. */
  example: string;
  /** @throws {ValueError} */
  parse(text: string): T;
  /** What the option says where it stands without a value; absent = it needs one. */
  alone?: string;
  /** Other reading of the value where nccl-tests means something else by its letter. */
  parseShort?(text: string): T;
  /** Words offered by completion. */
  words?: readonly string[];
}

/** A row for each option of a set. */
export type OptionRowsFor<O> = { readonly [K in keyof O]: OptionRow<O[K]> };

/** The options that a set of rows is about. */
export type OptionValues<F> = { -readonly [K in keyof F]: F[K] extends OptionRow<infer T> ? T : never };
