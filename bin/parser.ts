// yargs with the manners of this house: strict, no repeated values, one clear error instead of its usage text.
import yargs, { type Argv } from 'yargs';
import { nearest } from '../results/nearest.ts';
import { foreignFlags } from '../suites/options/foreign-flags.ts';
import { CommandError } from './exit.ts';
import { flags, isSwitch, keyOfLetter, keyOfName, ValueError } from './options/index.ts';

/** Switches of the commands that measure nothing. */
const smallSwitches = [
  ...['csv', 'explain', 'verbose', 'hashes', 'one-at-a-time'],
  ...['markdown', 'all', 'exclude-flagged'],
  ...['any-host', 'rebuild', 'junit', 'open-metrics'],
];

function isSwitchName(name: string): boolean {
  const key = keyOfName(name);
  return key === undefined ? smallSwitches.includes(name) : isSwitch(key);
}

/** Where yargs would misread: "-e1M" is three letters to it, and "--json=yes" is false. */
function normalised(word: string): string {
  const letter = /^(-[A-Za-z])([^=].*)$/s.exec(word);
  if (letter !== null) return `${letter[1]}=${letter[2]}`;
  const [, name = '', value = ''] = /^--([^=]+)=(.*)$/s.exec(word) ?? [];
  if (!isSwitchName(name)) return word;
  try {
    return `--${name}=${flags.json.parse(value)}`;
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw new CommandError(`--${name} ${value}: ${error.message}`, ['  allowed: true or false']);
  }
}

/** "-G 20" of nccl-tests says how often a graph is replayed; here it is a switch. */
function withoutGraphCount(words: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i] as string;
    const next = words[i + 1];
    const joined = /^-G=?(\d+)$/.exec(word)?.[1];
    const apart = word === '-G' && next !== undefined && /^\d+$/.test(next) ? next : undefined;
    if (apart !== undefined) i++;
    const count = joined ?? apart;
    kept.push(count === undefined ? word : `--graph=${Number(count) > 0}`);
  }
  return kept;
}

const isMeant = (word: string, flag: string) => word === flag || word.startsWith(`${flag}=`);

/** How a flag was written: "--min", "--no-min" or "-b"; `null` where it is none of the words. */
const spelling = (words: readonly string[], name: string): string | null =>
  [`--${name}`, `--no-${name}`, ...(name.length === 1 ? [`-${name}`] : [])].find((flag) =>
    words.some((word) => isMeant(word, flag)),
  ) ?? null;

function unknownWord(name: string, context: Context): CommandError {
  const { command, words, names, next } = context;
  const flag = spelling(words, name);
  const foreign = foreignFlags[name];
  if (flag === null) {
    return context.isMeasuring
      ? new CommandError(`${command} takes no '${name}'`, [
          `  allowed: options only, as in: collbench ${command} --min 8 --max 1G`,
          next,
        ])
      : new CommandError(`${command}: '${name}' is one word too many`, [next]);
  }
  if (foreign !== undefined && context.isMeasuring) {
    return new CommandError(`${flag} (nccl-tests: ${foreign.means}) does not apply here`, [
      `  ${foreign.instead}`,
      next,
    ]);
  }
  const match = nearest(name, names);
  const allowed = names.length > 8 ? [] : [`  allowed: ${names.map((known) => `--${known}`).join(', ')}`];
  const hint = match === null ? allowed : [`  did you mean --${match}?`];
  return new CommandError(`${flag}: ${command} has no such option`, [...hint, next]);
}

function missingValue(name: string, { command, isMeasuring, words }: Context): CommandError {
  const key = isMeasuring ? (keyOfName(name) ?? keyOfLetter(name)) : undefined;
  const rule = key === undefined ? [] : [`  allowed: ${flags[key].allowed}`];
  const example = key === undefined ? '--help' : flags[key].example;
  const spelled = spelling(words, name) ?? `--${name}`;
  return new CommandError(`${spelled} needs a value`, [...rule, `Next: collbench ${command} ${example}`]);
}

interface Context {
  command: string;
  isMeasuring: boolean;
  words: readonly string[];
  /** Options that the command has. */
  names: readonly string[];
  next: string;
  commandNames: readonly string[];
}

function unknownCommand({ command, commandNames }: Context, match: string | null): CommandError {
  return new CommandError(`${command}: no such command`, [
    match === null ? `  allowed: ${commandNames.join(', ')}` : `  did you mean ${match}?`,
    'Next: collbench --help',
  ]);
}

/** What yargs found wrong, in the words of this house. Its English messages are the only way to know. */
function explain(message: string, context: Context): CommandError {
  const found = (pattern: RegExp) => pattern.exec(message)?.[1]?.split(', ')[0];
  const isCommand = context.commandNames.length === 0 || context.commandNames.includes(context.command);
  const meant = found(/^Did you mean (.*)\?$/);
  if (!isCommand && context.command !== 'collbench') return unknownCommand(context, meant ?? null);
  const missing = found(/^Not enough arguments following: (.*)$/);
  if (missing !== undefined) return missingValue(missing, context);
  const unknown = found(/^Unknown arguments?: (.*)$/s);
  if (unknown !== undefined) return unknownWord(unknown, context);
  if (message.startsWith('Not enough non-option arguments')) {
    return new CommandError(`${context.command} needs one run`, [
      '  allowed: the id of a run or its folder',
      'Next: collbench runs',
    ]);
  }
  const [first = '', ...lines] = message.split('\n');
  return new CommandError(first, lines);
}

const habits = {
  'camel-case-expansion': false,
  'dot-notation': false,
  'duplicate-arguments-array': false,
  'parse-numbers': false,
  'parse-positional-numbers': false,
} as const;

/** For commands that take several words: yargs would keep only the last of them. */
export const withSeveralWords = (parser: Argv): Argv =>
  parser.parserConfiguration({ ...habits, 'duplicate-arguments-array': true });

/**
 * A parser for these words.
 * @param command the word that names the command, for messages
 * @param commandNames all there are; empty where only options are read
 * @throws CommandError (also from parse) for what is not understood
 */
export function parser(
  words: readonly string[],
  command: string,
  isMeasuring: boolean,
  commandNames: readonly string[] = [],
): Argv {
  const isNameless = command.startsWith('-');
  const context = {
    command: isNameless ? 'collbench' : command,
    isMeasuring,
    words,
    next: isMeasuring
      ? 'Next: collbench help options'
      : `Next: collbench ${isNameless ? '' : `${command} `}--help`,
    commandNames: [...commandNames],
  };
  const instance = yargs(
    words[0] === '--get-yargs-completions' ? [...words] : withoutGraphCount(words).map(normalised),
  );
  return instance
    .scriptName('collbench')
    .detectLocale(false)
    .parserConfiguration(habits)
    .alias('h', 'help')
    .wrap(Math.max(60, Math.min(process.stdout.columns || Number(process.env.COLUMNS) || 100, 100)))
    .exitProcess(false)
    .recommendCommands()
    .strict()
    .fail((message, error, usage) => {
      if (error instanceof CommandError || (error && error.name !== 'YError')) throw error;
      const descriptions = (usage as unknown as { getDescriptions(): object }).getDescriptions();
      const names = Object.keys(descriptions).filter((name) => /^[a-z-]{2,}$/.test(name));
      throw explain(message, { ...context, names });
    });
}
