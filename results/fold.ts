/** Pattern that splits a host name into the text before its last number, that number, and the text behind. */
const around = /^(.*?)(\d{1,15})(\D*)$/;

interface Fold {
  name: string;
  head: string;
  tail: string;
  first: string;
  last: string;
}

/** True if `digits` is the number after `last`, with as many leading zeros as parseHosts() writes for a range from `first`. */
function follows(first: string, last: string, digits: string): boolean {
  if (Number(digits) !== Number(last) + 1) return false;
  const width = first.startsWith('0') && first.length > 1 ? first.length : 0;
  return digits === String(Number(digits)).padStart(width, '0');
}

const text = ({ name, head, tail, first, last }: Fold): string =>
  first === last ? name : `${head}[${first}-${last}]${tail}`;

/** Returns host names in short form: "gpu[01-03],login" for gpu01, gpu02, gpu03, login. `parseHosts` converts it back. */
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

/** Highest number of ranges, such as "0-7", that foldNumbers() shows; of more, only the first three and the last. */
const fewRuns = 6;

/** Returns ascending whole numbers in short form: "0-7,9". Of many ranges it shows the first three and the last. */
export function foldNumbers(numbers: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const number of numbers) {
    const before = runs.at(-1);
    if (before !== undefined && before[1] + 1 === number) before[1] = number;
    else runs.push([number, number]);
  }
  const texts = runs.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`));
  return (texts.length > fewRuns ? [...texts.slice(0, 3), '...', texts.at(-1)] : texts).join(',');
}
