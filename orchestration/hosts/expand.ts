import { formatCount } from '../../results/units.ts';
import { visibleText } from './characters.ts';
import { HostsError } from './error.ts';

/** Maximum number of hosts of a run. */
export const maxRunHosts = 4096;

/** Maximum number of digits of a number in a range. JavaScript numbers with more digits are inexact. */
const maxDigits = 15;

export const tooManyHosts = (text: string, count: number, offset: number): HostsError =>
  new HostsError(
    `${visibleText(text)} stands for ${count > 1e9 ? 'over a billion' : formatCount(count)} hosts, ` +
      `and a run has at most ${formatCount(maxRunHosts)}`,
    offset,
  );

/**
 * Part of a host name: fixed text, or the alternatives in one pair of brackets. `count`: number of alternatives, 1 for fixed text;
 * `texts()` makes them.
 */
interface NamePart {
  count: number;
  texts(): string[];
}

const fixed = (text: string): NamePart => ({ count: 1, texts: () => [text] });

/**
 * Expands a range "01-08" to its numbers, both ends included. If the first number begins with 0, all numbers are padded to its
 * number of digits.
 * @param text the whole range, for errors
 * @param offset position of the text in what the user wrote, for errors
 * @throws HostsError if the range runs backwards, or its digits are too many or unclear ("01-100", "1-08")
 */
function range(text: string, first: string, last: string, offset: number): NamePart {
  const refuse = (why: string) => new HostsError(`the range ${visibleText(text)} ${why}`, offset);
  if (last.length > maxDigits || first.length > maxDigits) throw refuse('has too many digits');
  const [from, to] = [Number(first), Number(last)];
  if (to < from) throw refuse(`runs backwards: write ${last}-${first}`);
  const isPadded = first.length > 1 && first.startsWith('0');
  const lastIsPadded = last.length > 1 && last.startsWith('0');
  const isClear = isPadded ? last.length === first.length || !lastIsPadded : !lastIsPadded;
  if (!isClear || last.length < first.length) {
    throw refuse('has unclear digits: write as many in both');
  }
  const width = isPadded ? first.length : 0;
  const count = to - from + 1;
  return {
    count,
    texts: () => Array.from({ length: count }, (_, i) => String(from + i).padStart(width, '0')),
  };
}

/**
 * Expands the text between the brackets of a host name: "a,b,03-05" gives a, b, 03, 04 and 05. Names that occur twice stay twice.
 * @param offset position of the text in the whole host list, for error messages
 * @throws HostsError if an item is empty or no range of numbers
 */
function list(text: string, offset: number): NamePart {
  let at = offset;
  const parts = text.split(',').map((item) => {
    const start = at;
    at += item.length + 1;
    const [, first, last] = /^(\d+)-(\d+)$/.exec(item) ?? [];
    if (first !== undefined && last !== undefined) return range(item, first, last, start);
    if (item === '') throw new HostsError(`[${visibleText(text)}] has an empty place`, start);
    if (item.includes('-')) {
      throw new HostsError(
        `${visibleText(item)} in [${visibleText(text)}] is no range of numbers: write words one by one, as in [a,b,c]`,
        start,
      );
    }
    return fixed(item);
  });
  const count = parts.reduce((sum, part) => sum + part.count, 0);
  return { count, texts: () => parts.flatMap((part) => part.texts()) };
}

/**
 * Splits a host name such as "gpu[1-2]x[a,b]" at its brackets.
 * @param offset position of the text in what the user wrote, for errors
 * @throws HostsError if brackets are unpaired, nested or invalid
 */
function partsOf(name: string, offset: number): NamePart[] {
  const parts: NamePart[] = [];
  let at = 0;
  while (at < name.length) {
    const open = name.indexOf('[', at);
    const end = open < 0 ? name.length : open;
    const stray = name.slice(at, end).indexOf(']');
    if (stray >= 0) throw new HostsError(`${visibleText(name)} has a ] without its [`, offset + at + stray);
    if (end > at) parts.push(fixed(name.slice(at, end)));
    if (open < 0) break;
    const close = name.indexOf(']', open);
    if (close < 0) throw new HostsError(`${visibleText(name)} has a [ without its ]`, offset + open);
    const inside = name.slice(open + 1, close);
    if (inside.includes('[')) {
      throw new HostsError(
        `${visibleText(name)} has brackets inside brackets`,
        offset + open + 1 + inside.indexOf('['),
      );
    }
    parts.push(list(inside, offset + open + 1));
    at = close + 1;
  }
  return parts;
}

/**
 * Expands a host name with brackets: `gpu[01-08]`, `node-[a,b,03-05]`. A name without brackets gives itself. With several brackets
 * the last one varies fastest. Leading zeros stay. The number of hosts is checked before any name is made.
 * @param offset position of the name in the text, for errors
 * @throws HostsError if the name is invalid, or gives more than `maxRunHosts` hosts
 */
export function expandName(name: string, offset: number): string[] {
  const parts = partsOf(name, offset);
  const count = parts.reduce((product, part) => product * part.count, 1);
  if (count > maxRunHosts) throw tooManyHosts(name, count, offset);
  return parts.reduce<string[]>(
    (names, part) => {
      const texts = part.texts();
      return names.flatMap((start) => texts.map((text) => start + text));
    },
    [''],
  );
}
