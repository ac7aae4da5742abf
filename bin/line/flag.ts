import { refuse } from '../../results/refusals/refusal.ts';
import { ValueError } from '../../suites/options/flag.ts';

/** An option of one command: what a line may say, and what help shows. Rows of the option table are such. */
export interface LineFlag {
  /** As typed, without the dashes. */
  name: string;
  /** One letter. */
  short?: string;
  /** Another name. */
  alias?: string;
  isSwitch: boolean;
  /** Heading in help. */
  group?: string;
  help: string;
  /** The default as help shows it. */
  shown?: string;
  /** For errors, and for help in full. */
  allowed?: string;
  /** A use that works, for errors and help in full. */
  example?: string;
  /** Stands for the value in help. */
  value?: string;
  /** What it says without a value; absent = it needs one. */
  alone?: string;
  /** Values that completion offers. */
  words?: readonly string[];
  /** The shell completes names of files. */
  isFile?: boolean;
  /** Read as if it had been said. */
  fallback?: string;
  /** @throws {ValueError} */
  parse(text: string): unknown;
  /** Other reading where nccl-tests means something else by its letter. */
  parseShort?(text: string): unknown;
}

/** What a line may say behind the name of its command. */
export interface LineSyntax {
  name: string;
  /** Name and words: "show <run>", "topo [file..]". */
  command: string;
  flags: readonly LineFlag[];
  /** Its letters are those of nccl-tests, and it takes no words. */
  isMeasuring?: boolean;
}

/** By what stands for the value in help. */
export const isFile = (value = ''): boolean => ['FILE', 'DIR', 'PATH'].includes(value);

/** The arguments of a command by their name; `<run>` must be there, `[file..]` stands for any number. */
export const argumentsOf = (command: string): { name: string; isRequired: boolean; isMany: boolean }[] =>
  [...command.matchAll(/([<[])(\w+)(\.\.)?[>\]]/g)].map(([, bracket, name = '', many]) => ({
    name,
    isRequired: bracket === '<',
    isMany: many !== undefined,
  }));

/** @throws Refusal a value that the flag does not take */
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
