// The words of a measuring command, before their values are read: long names, nccl-tests' letters, "=", missing values.
import { CommandError } from './exit.ts';
import { foreignFlags } from './nccl-tests.ts';
import { nearest } from './nearest.ts';
import { flags, isSwitch, keyOfName, keyOfShort, type OptionKey, optionKeys } from './options.ts';

/** A value as somebody wrote it, and where, for messages. */
export interface Written {
  key: OptionKey;
  text: string;
  /** "--min", "-b" or "nightly.yaml:3:1: min". */
  where: string;
  /** Read with the meaning nccl-tests gives to the letter. */
  isLetter: boolean;
  isConfig: boolean;
}

const help = 'Next: collbench help options';

function unknown(word: string, command: string): CommandError {
  const name = word.replace(/^-+(no-)?/, '').replace(/=.*$/, '');
  const match = nearest(name, [...optionKeys.map((key) => flags[key].name), 'help', 'version']);
  const lines = match === null ? [] : [`  did you mean --${match}?`];
  return new CommandError(`${word.replace(/=.*$/, '')}: ${command} has no such option`, [...lines, help]);
}

function letterKey(word: string, command: string): OptionKey {
  const letter = word.charAt(1);
  const foreign = foreignFlags[letter];
  if (foreign !== undefined) {
    throw new CommandError(`-${letter} (nccl-tests: ${foreign.means}) does not apply here`, [
      `  ${foreign.instead}`,
      help,
    ]);
  }
  const key = keyOfShort(letter);
  if (key === undefined) throw unknown(word, command);
  return key;
}

const isFlag = (word: string) => word.startsWith('--') || /^-[A-Za-z]/.test(word);

/** Splits "-b8", "-b=8", "--min=8", "--no-path-proof" and plain flags. */
function readFlag(word: string, command: string): { key: OptionKey; where: string; attached: string | null } {
  if (!word.startsWith('--')) {
    const rest = word.slice(2).replace(/^=/, '');
    return {
      key: letterKey(word, command),
      where: word.slice(0, 2),
      attached: word.length > 2 ? rest : null,
    };
  }
  const equals = word.indexOf('=');
  const where = equals < 0 ? word : word.slice(0, equals);
  const attached = equals < 0 ? null : word.slice(equals + 1);
  const name = where.slice(2);
  const key = keyOfName(name);
  if (key !== undefined) return { key, where, attached };
  const negated = name.startsWith('no-') ? keyOfName(name.slice(3)) : undefined;
  if (negated !== undefined && isSwitch(negated) && attached === null) {
    return { key: negated, where, attached: 'false' };
  }
  throw unknown(word, command);
}

/**
 * @param words after the command's name
 * @throws CommandError for what is no option, or lacks its value
 */
export function readWords(command: string, words: readonly string[]): Written[] {
  const written: Written[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i] as string;
    if (!isFlag(word)) {
      const lines = [`  allowed: options only, as in: collbench ${command} --min 8 --max 1G`, help];
      throw new CommandError(`${command} takes no '${word}'`, lines);
    }
    const { key, where, attached } = readFlag(word, command);
    let text = attached;
    if (text === null && isSwitch(key)) text = 'true';
    if (text === null) {
      const next = words[i + 1];
      if (next === undefined || isFlag(next)) {
        const { allowed, example } = flags[key];
        throw new CommandError(`${where} needs a value`, [
          `  allowed: ${allowed}`,
          `Next: collbench ${command} ${example}`,
        ]);
      }
      text = next;
      i += 1;
    }
    written.push({ key, text, where, isLetter: !where.startsWith('--'), isConfig: false });
  }
  return written;
}
