// Ranges of x in which the library chose one algorithm and protocol.
import { isOk, type Series } from './series.ts';
import { chosenText } from './wording.ts';

/**
 * A range of consecutive x (such as message sizes) at which a library such as NCCL chose the same algorithm and protocol (null =
 * none was reported). Both ends are included. `choice` joins both names; '' if the choice is unknown. Configurations without a
 * result do not end a range.
 */
export interface ChoiceRange {
  choice: string;
  algorithm: string;
  protocol: string | null;
  first: number;
  last: number;
}

export function choiceRanges({ slots }: Series): ChoiceRange[] {
  const found: ChoiceRange[] = [];
  for (const { x, cell } of slots) {
    if (!isOk(cell)) continue;
    const { algorithm, protocol } = cell.choice;
    const choice = chosenText(cell.choice);
    const before = found.at(-1);
    if (before?.choice === choice) before.last = x;
    else found.push({ choice, algorithm, protocol, first: x, last: x });
  }
  return found;
}

/**
 * Returns the ranges of x (such as message sizes) with one algorithm and protocol of the library, each with a name. The name is
 * the protocol alone if all ranges have the same algorithm and a known protocol, else `choice`. Ranges with an unknown choice are
 * left out.
 */
export function namedRanges(series: Series): (ChoiceRange & { name: string })[] {
  const found = choiceRanges(series).filter(({ choice }) => choice !== '');
  const algorithms = new Set(found.map(({ algorithm }) => algorithm));
  const isSame = algorithms.size === 1 && found.every(({ algorithm, protocol }) => algorithm && protocol);
  return found.map((one) => ({ ...one, name: (isSame ? one.protocol : null) ?? one.choice }));
}
