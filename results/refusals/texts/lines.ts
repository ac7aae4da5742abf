// Refusal messages about command lines and config files that cannot be parsed.
import { cannotRunHere, invalid, type WordChange } from '../wording.ts';
import { suggestWord } from './words.ts';

type Renames = WordChange['rename'];

const helpOf = (command: string, isMeasuring: boolean): `collbench ${string}` =>
  isMeasuring ? 'collbench help options' : `collbench ${command === 'collbench' ? '' : `${command} `}--help`;

const allowedIf = (allowed: string | undefined): string[] =>
  allowed === undefined ? [] : [`allowed: ${allowed}`];

const exampleIf = (command: string, example: string | undefined): string[] =>
  example === undefined ? [] : [`example: collbench ${command} ${example}`];

/** Highest number of options that a message lists by name. */
const maxNamed = 8;

export const lineTexts = {
  'command-unknown': invalid(
    (values: {
      word: string;
      known: readonly string[];
      /**
       * Misspelt words of the command line, each with the right word; null if none is similar enough, or if the command line would
       * be refused with these, too.
       */
      rename: Renames | null;
    }) => {
      const message = `${values.word}: no such command`;
      const several = values.word.split(',');
      if (several.length > 1 && several.every((one) => values.known.includes(one)))
        return {
          message,
          details: ['allowed: one command at a time; a suite measures several'],
          next: 'collbench suite --list',
        };
      return {
        message,
        details: [suggestWord(values.word, values.known)],
        next: values.rename === null ? 'collbench --help' : { rename: values.rename },
      };
    },
  ),
  /** Refusal of a command line that begins with an option. `next`: the command line with its command first. */
  'command-missing': invalid(({ where, next }: { where: string; next: `collbench ${string}` }) => ({
    message: `${where}: a command must come first`,
    details: ['allowed: collbench COMMAND OPTIONS'],
    next,
  })),
  'option-unknown': invalid(
    (values: {
      command: string;
      /** The unknown option as typed, with its dashes. */
      where: string;
      known: readonly string[];
      /** Long name, without dashes, of the option that the user probably meant; null if none is similar. */
      meant: string | null;
      isMeasuring: boolean;
      /**
       * Misspelt options of the command line, each with the right one; null if none is similar enough, or if the command line would
       * be refused with these, too.
       */
      rename: Renames | null;
    }) => {
      const all =
        values.known.length > maxNamed
          ? []
          : [`allowed: ${values.known.map((name) => `--${name}`).join(', ')}`];
      return {
        message: `${values.where}: ${values.command} has no such option`,
        details: values.meant === null ? all : [`did you mean --${values.meant}?`],
        next: values.rename === null ? helpOf(values.command, values.isMeasuring) : { rename: values.rename },
      };
    },
  ),
  'option-of-nccl-tests': invalid(
    ({ where, means, instead }: { where: string; means: string; instead: string }) => ({
      message: `${where} (nccl-tests: ${means}) does not apply here`,
      details: [instead],
      next: 'collbench help options',
    }),
  ),
  'word-unexpected': invalid(
    ({ command, word, isMeasuring }: { command: string; word: string; isMeasuring: boolean }) => ({
      message: `${command}: unexpected argument '${word}'`,
      details: isMeasuring ? [`allowed: options only, as in: collbench ${command} --min 8 --max 1G`] : [],
      next: helpOf(command, isMeasuring),
    }),
  ),
  'word-missing': invalid(
    ({ command, word, allowed }: { command: string; word: string; allowed?: string | undefined }) => ({
      message: `${command} needs one ${word}`,
      details:
        allowed === undefined ? [] : [`allowed: ${allowed.charAt(0).toLowerCase()}${allowed.slice(1)}`],
      next: word === 'run' ? 'collbench runs' : helpOf(command, false),
    }),
  ),
  'value-missing': invalid(
    (values: {
      command: string;
      where: string;
      allowed: string | undefined;
      example: string | undefined;
    }) => ({
      message: `${values.where} needs a value`,
      details: [...allowedIf(values.allowed), ...exampleIf(values.command, values.example)],
      next: `collbench ${values.command} --help`,
    }),
  ),
  'value-not-understood': invalid(
    (values: {
      command: string;
      where: string;
      text: string;
      /** Reason why the value is refused; the message is "--min 7: " followed by it. */
      why: string;
      allowed: string | undefined;
      example: string | undefined;
      /** Long names of options, without dashes, with the values that the user probably meant; absent = no suggestion. */
      change?: Readonly<Record<string, string>> | undefined;
    }) => ({
      message: `${values.where} ${values.text}: ${values.why}`,
      details: [
        ...allowedIf(values.allowed),
        ...(values.change === undefined ? exampleIf(values.command, values.example) : []),
      ],
      next: values.change === undefined ? `collbench ${values.command} --help` : { change: values.change },
    }),
  ),
  'switch-not-understood': invalid(({ where, text, why }: { where: string; text: string; why: string }) => ({
    message: `${where} ${text}: ${why}`,
    details: ['allowed: true or false'],
  })),
  'config-unreadable': cannotRunHere(({ file, why }: { file: string; why: string }) => ({
    message: `--config ${file}: cannot be read (${why})`,
    details: ['allowed: a YAML file with long option names as keys, for example "min: 1K"'],
  })),
  'config-not-yaml': invalid(({ at, why }: { at: string; why: string }) => ({
    message: `${at}: not YAML: ${why}`,
  })),
  'config-no-map': invalid(({ at }: { at: string }) => ({
    message: `${at}: not a map of options`,
    details: ['allowed: lines such as "transport: [socket, sisci]"'],
  })),
  'config-option-unknown': invalid(
    (values: { at: string; name: string; meant: string | null; known: readonly string[] }) => ({
      message: `${values.at}: ${values.name}: no such option`,
      details: [
        values.meant === null ? `allowed: ${values.known.join(', ')}` : `did you mean ${values.meant}?`,
      ],
    }),
  ),
  'config-value-missing': invalid(({ at, name, allowed }: { at: string; name: string; allowed: string }) => ({
    message: `${at}: ${name} needs a value or a list of values`,
    details: [`allowed: ${allowed}`],
  })),
};
