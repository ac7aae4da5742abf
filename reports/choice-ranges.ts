// Where the library took which algorithm and protocol.
import { isOk, type Series } from './series.ts';
import { chosenText } from './wording.ts';

/** Neighbouring x at which the library chose the same. */
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

/** Stretches by what differs in them: of one algorithm the protocols alone; without what is not known. */
export function namedRanges(series: Series): (ChoiceRange & { name: string })[] {
  const found = choiceRanges(series).filter(({ choice }) => choice !== '');
  const algorithms = new Set(found.map(({ choice }) => choice.split('/')[0]));
  const isSame = algorithms.size === 1 && found.every(({ choice }) => choice.includes('/'));
  return found.map((one) => ({
    ...one,
    name: isSame ? one.choice.split('/').slice(1).join('/') : one.choice,
  }));
}
