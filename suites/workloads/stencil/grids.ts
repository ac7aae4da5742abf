import { ValueError } from '../../options/values.ts';

/** Maximum number of grid points along one side; larger grids do not fit into memory. */
const largestGrid = 2 ** 20;

const plain = /^\d{1,7}$/;

function edge(word: string): number {
  const points = plain.test(word) ? Number(word) : Number.NaN;
  if (Number.isNaN(points)) throw new ValueError(`'${word}' is no number of points`);
  if (points < 1 || points > largestGrid) throw new ValueError(`'${word}' is not from 1 to ${largestGrid}`);
  return points;
}

/**
 * Parses a list of grid edges (number of points along one side), in the order typed, each once: "64,100"; "64..4096" doubles
 * from 64 to 4096.
 * @throws ValueError if the text is no list of numbers and ranges
 */
export function gridsOf(text: string): number[] {
  const edges = text.split(',').flatMap((part) => {
    const [low, high, ...more] = part.trim().split('..');
    const from = edge(low ?? '');
    if (high === undefined) return [from];
    const to = edge(high);
    if (more.length > 0 || to < from) throw new ValueError(`'${part.trim()}' is no range`);
    const made: number[] = [];
    for (let points = from; points <= to; points *= 2) made.push(points);
    return made;
  });
  return [...new Set(edges)];
}
