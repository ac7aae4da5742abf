import path from 'node:path';
import { ValueError } from '../../options/values.ts';
import { textHash } from '../../text-hash.ts';

/**
 * Parses the words of a command line, the program first, from a JSON array.
 * @throws ValueError if the text is no array of words
 */
export function commandOf(text: string): string[] {
  if (text === '') throw new ValueError('there is none');
  let words: unknown;
  try {
    words = JSON.parse(text);
  } catch {
    throw new ValueError('no JSON');
  }
  if (!Array.isArray(words) || words.length === 0 || !words.every((word) => typeof word === 'string'))
    throw new ValueError('no list of words');
  return words;
}

/**
 * Identifier of a program: file name and a hash of the whole command, such as "my_train.py@3f2a1c09". Different commands are
 * never compared.
 */
export function programKey(words: readonly string[]): string {
  const [program = '', ...rest] = words;
  const file = rest.find((word) => !word.startsWith('-')) ?? program;
  const name = path.basename(file).replaceAll(/[^\w.+-]/g, '-');
  return `${name.slice(0, 60)}@${textHash(words.join('\0'))}`;
}
