// Words that are none of those that are known, and files that an option names.
import { nearestWord } from '../../nearest.ts';
import { cannotRunHere, invalid } from '../wording.ts';

/** The word that was probably meant, or all there are. */
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
      /** What was typed up to the word: "baseline". */
      where: string;
      word: string;
      /** "no such action". */
      problem: string;
      known: readonly string[];
    }) => ({ message: `${where} ${word}: ${problem}`, details: [suggestWord(word, known)] }),
  ),
  'file-unwritable': cannotRunHere(({ where, why }: { where: string; why: string }) => ({
    message: `${where} cannot be written: ${why}`,
    details: ['allowed: a file in a folder that exists and can be written'],
  })),
};
