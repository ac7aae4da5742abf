// Ranges of x with the library's choice of algorithm and protocol.
import { isOk, type Series } from './series.ts';
import { chosenText } from './wording.ts';

/** Consecutive x with the same choice of the library. */
export interface ChoiceRange {
  choice: string;
  first: number;
  last: number;
}

export function choiceRanges({ slots }: Series): ChoiceRange[] {
  const found: ChoiceRange[] = [];
  for (const { x, cell } of slots) {
    if (!isOk(cell)) continue;
    const choice = chosenText(cell.choice);
    const before = found.at(-1);
    if (before?.choice === choice) before.last = x;
    else found.push({ choice, first: x, last: x });
  }
  return found;
}

/**
 * Names each range by what differs: only the protocols if all have the same algorithm. Ranges with an unknown choice are left
 * out.
 */
export function namedRanges(series: Series): (ChoiceRange & { name: string })[] {
  const found = choiceRanges(series).filter(({ choice }) => choice !== '');
  const algorithms = new Set(found.map(({ choice }) => choice.split('/')[0]));
  const isSame = algorithms.size === 1 && found.every(({ choice }) => choice.includes('/'));
  return found.map((one) => ({
    ...one,
    name: isSame ? one.choice.split('/').slice(1).join('/') : one.choice,
  }));
}
