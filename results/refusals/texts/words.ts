// Texts for unknown words, and for files that an option names.
import { nearestWord } from '../../nearest.ts';
import { cannotRunHere, invalid } from '../wording.ts';

/** Suggests the most similar known word, or lists all known words. */
export function suggestWord(word: string, known: readonly string[]): string {
  const match = nearestWord(word, known);
  return match === null ? `allowed: ${known.join(', ')}` : `did you mean ${match}?`;
}

export const wordTexts = {
  'unknown-word': invalid(
    ({
      where,
      word,
      problem,
      known,
    }: {
      /** The typed text before the word: "baseline". */
      where: string;
      word: string;
      /** The problem with the word: "no such action". */
      problem: string;
      known: readonly string[];
    }) => ({ message: `${where} ${word}: ${problem}`, details: [suggestWord(word, known)] }),
  ),
  'file-unwritable': cannotRunHere(({ where, why }: { where: string; why: string }) => ({
    message: `${where} cannot be written: ${why}`,
    details: ['allowed: a file in a folder that exists and can be written'],
  })),
};
