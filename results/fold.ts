/** Splits a host name into the text before its last number, that number, and the text after it. */
const around = /^(.*?)(\d{1,15})(\D*)$/;

interface Fold {
  name: string;
  head: string;
  tail: string;
  first: string;
  last: string;
}

/**
 * True if `digits` is the number after `last`, with the leading zeros that parseHosts() gives to a range that begins with `first`.
 */
function follows(first: string, last: string, digits: string): boolean {
  if (Number(digits) !== Number(last) + 1) return false;
  const width = first.startsWith('0') && first.length > 1 ? first.length : 0;
  return digits === String(Number(digits)).padStart(width, '0');
}

const text = ({ name, head, tail, first, last }: Fold): string =>
  first === last ? name : `${head}[${first}-${last}]${tail}`;

/**
 * Returns host names in short form: "gpu[01-03],login" for gpu01, gpu02, gpu03, login. Only names that follow each other in the
 * list are joined; names with a colon never are. `parseHosts` is the inverse.
 */
export function foldNames(names: readonly string[]): string {
  const folds: Fold[] = [];
  for (const name of names) {
    const [, head, digits, tail] = name.includes(':') ? [] : (around.exec(name) ?? []);
    if (head === undefined || digits === undefined || tail === undefined) {
      folds.push({ name, head: name, tail: '', first: '', last: '' });
      continue;
    }
    const before = folds.at(-1);
    if (before?.head === head && before.tail === tail && follows(before.first, before.last, digits)) {
      before.last = digits;
    } else {
      folds.push({ name, head, tail, first: digits, last: digits });
    }
  }
  return folds.map(text).join(',');
}

/** Returns ascending whole numbers as ranges: ["0-7", "9"]. */
export function rangesOf(numbers: readonly number[]): string[] {
  const runs: [number, number][] = [];
  for (const number of numbers) {
    const before = runs.at(-1);
    if (before !== undefined && before[1] + 1 === number) before[1] = number;
    else runs.push([number, number]);
  }
  return runs.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`));
}

/**
 * Highest number of ranges, such as "0-7", that foldNumbers() shows in full; of more, it shows only the first three and the last.
 */
const fewRuns = 6;

/**
 * Returns ascending whole numbers in short form: "0-7,9". Of more than `fewRuns` ranges it shows the first three and the last:
 * "0,2,4,...,14".
 */
export function foldNumbers(numbers: readonly number[]): string {
  const texts = rangesOf(numbers);
  return (texts.length > fewRuns ? [...texts.slice(0, 3), '...', texts.at(-1)] : texts).join(',');
}

/**
 * Returns whole numbers, given in any order and each once, as ranges for a sentence: "0-2, 4"; '' for none. No range is left out.
 */
export const rangesText = (numbers: readonly number[]): string =>
  rangesOf([...numbers].sort((a, b) => a - b)).join(', ');

/**
 * Returns the numbers in a list in the kernel's form: 0, 1, 2, 3 and 8 for "0-3,8"; [] for ''. Items that are no numbers or ranges
 * give nothing.
 */
export function numbersOf(list: string): number[] {
  return list
    .split(',')
    .filter((item) => item !== '')
    .flatMap((item) => {
      const [first = 0, last = first] = item.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, i) => first + i);
    });
}
