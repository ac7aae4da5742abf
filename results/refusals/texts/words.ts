// Refusal messages about unknown words, and about files that an option names.
import { nearestWord } from '../../nearest.ts';
import { cannotRunHere, invalid, type RefusalWording } from '../wording.ts';

/**
 * Returns the hint for a message about an unknown word: "did you mean NAME?" with the most similar known word. If none is
 * similar, it is "allowed: " with all known words.
 */
export function suggestWord(word: string, known: readonly string[]): string {
  const match = nearestWord(word, known);
  return match === null ? `allowed: ${known.join(', ')}` : `did you mean ${match}?`;
}

/**
 * Returns the refused command, with `word` replaced by the most similar known word, as the suggested next command (`next`); {} if
 * no known word is similar.
 */
export function nextWord(word: string, known: readonly string[]): Pick<RefusalWording, 'next'> {
  const match = nearestWord(word, known);
  return match === null ? {} : { next: { rename: { [word]: match } } };
}

export const wordTexts = {
  'unknown-word': invalid(
    (values: {
      /** The text typed before the word, such as "baseline"; it says to which command the word belongs. */
      where: string;
      word: string;
      /** The problem with the word: "no such action". */
      problem: string;
      known: readonly string[];
    }) => ({
      message: `${values.where} ${values.word}: ${values.problem}`,
      details: [suggestWord(values.word, values.known)],
      ...nextWord(values.word, values.known),
    }),
  ),
  'file-unwritable': cannotRunHere(({ where, why }: { where: string; why: string }) => ({
    message: `${where} cannot be written: ${why}`,
    details: ['allowed: a file in a folder that exists and can be written'],
  })),
};
