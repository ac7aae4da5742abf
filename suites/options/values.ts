import { lookUp } from '../../results/collections.ts';
import { type DtypeName, longestSkewNs, longestSkewText } from '../../results/schema/index.ts';
import { parseSize } from '../sizes.ts';

/** Error of a parser about an option's value. Its message is a phrase that follows the option: "--min 7: ...". */
export class ValueError extends Error {
  /** An allowed value that the user probably meant, which the error message suggests; null if none is similar. */
  readonly meant: string | null;

  constructor(message: string, meant: string | null = null) {
    super(message);
    this.meant = meant;
  }
}

/** Data types by other names that users type: names of nccl-tests ("half") and of frameworks ("fp16"). */
export const dtypeSynonyms: Record<string, DtypeName> = {
  char: 'int8',
  int: 'int32',
  half: 'float16',
  fp16: 'float16',
  float: 'float32',
  fp32: 'float32',
  double: 'float64',
  fp64: 'float64',
  bf16: 'bfloat16',
  f8e4m3: 'float8e4m3',
  fp8_e4m3: 'float8e4m3',
  f8e5m2: 'float8e5m2',
  fp8_e5m2: 'float8e5m2',
};

export const splitWords = (text: string) =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');

export const unique = <T>(items: T[]): T[] => [...new Set(items)];

export function size(text: string): number {
  const bytes = parseSize(text);
  if (bytes === null) throw new ValueError('not a size');
  return bytes;
}

export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text.trim()) || !Number.isSafeInteger(value))
      throw new ValueError('not a whole number');
    if (value < least) throw new ValueError(`less than ${least}`);
    if (value > most) throw new ValueError(`more than ${most}`);
    return value;
  };
}

function positiveTo(most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() === '' || !Number.isFinite(value)) throw new ValueError('not a number');
    if (value <= 0) throw new ValueError('not above 0');
    if (value > most) throw new ValueError(`more than ${most}`);
    return value;
  };
}

export const positive = positiveTo(Number.POSITIVE_INFINITY);

export function listOf<T extends string>(
  known: readonly T[],
  synonyms: Record<string, T> = {},
): (text: string) => T[] {
  return (text) => {
    const items = splitWords(text).map((word) => word.toLowerCase());
    if (items.length === 0) throw new ValueError('empty');
    if (items.includes('all')) return [...known];
    return unique(
      items.map((word) => {
        const found = known.find((name) => name === word) ?? lookUp(synonyms, word);
        if (found === undefined) throw new ValueError(`${word} is not allowed`);
        return found;
      }),
    );
  };
}

/**
 * Returns a parser of an option's value that accepts only the known words, typed in upper or lower case; `known` must be in lower
 * case. For other texts the parser throws a ValueError.
 */
export const parseOneOf =
  <T extends string>(known: readonly T[]) =>
  (text: string): T => {
    const word = text.trim().toLowerCase();
    const found = known.find((one) => one === word);
    if (found === undefined) throw new ValueError('no such value');
    return found;
  };

/**
 * Returns a parser for a comma-separated list; `parse` gets each item without spaces around it. Empty items are skipped. If the
 * list has several items, errors quote the wrong one. An empty list is a ValueError.
 */
export const parseItems =
  <T>(parse: (word: string) => T) =>
  (value: string): T[] => {
    const words = splitWords(value);
    if (words.length === 0) throw new ValueError('empty');
    return words.map((word) => (words.length === 1 ? parse(word) : parseNamed(parse, word)));
  };

/** Returns a parser for a comma-separated list; `parse` reads each item, and repeated values are removed (see parseItems()). */
export const parseEach =
  <T>(parse: (word: string) => T) =>
  (value: string): T[] =>
    unique(parseItems(parse)(value));

function parseNamed<T>(parse: (word: string) => T, word: string): T {
  try {
    return parse(word);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw new ValueError(`${error.message} ('${word}')`, error.meant);
  }
}

export const text = (value: string): string => {
  if (value.trim() === '') throw new ValueError('empty');
  return value;
};

export function switchValue(value: string): boolean {
  if (['', 'true', 'yes', '1'].includes(value)) return true;
  if (['false', 'no', '0'].includes(value)) return false;
  throw new ValueError('neither true nor false');
}

export const sizeAllowed = 'bytes, or with a binary unit: 8, 1K, 64M, 1G';
/** Default of --check: one in 16 samples is verified, and always the first and last sample of a block. */
export const defaultCheck = 16;
/**
 * Shortest allowed time between two readings of the system load, microseconds; `longestUs` is the longest. The agent rejects other
 * values.
 */
const shortestUs = 1000;
const longestUs = 10_000_000;

/**
 * Returns the error for a number without a unit. It suggests the same number with `unit` if `parse` accepts that. Null if the text
 * is not a plain number.
 * @param unit unit to suggest, such as "ms"
 * @param parse parser of the option, which throws a ValueError if a text is not valid
 */
function unitMissing(text: string, unit: string, parse: (text: string) => unknown): ValueError | null {
  if (!/^(?:\d+(?:\.\d+)?|\.\d+)$/.test(text)) return null;
  const meant = `${text}${unit}`;
  try {
    parse(meant);
  } catch (error) {
    if (error instanceof ValueError) return new ValueError('its unit is missing');
    throw error;
  }
  return new ValueError('its unit is missing', meant);
}

/**
 * Parses a time such as "250us", "250µs", "1.5 ms" or "2s" to ns; null if the text is not a time. Both Unicode characters for "µ"
 * are accepted.
 */
export function timeNs(text: string): number | null {
  const [, digits, prefix] =
    /^(\d+(?:\.\d+)?|\.\d+)\s*([mu\u00b5\u03bc]?)s$/.exec(text.trim().toLowerCase()) ?? [];
  return digits === undefined ? null : Number(digits) * (prefix === '' ? 1e9 : prefix === 'm' ? 1e6 : 1e3);
}

/**
 * Parses a time such as "200ms" or "1.5s" to microseconds; null for "off" or "0".
 * @throws {ValueError} if the text is no time, or is outside 1 ms to 10 s
 */
export function interval(text: string): number | null {
  const word = text.trim().toLowerCase();
  if (word === 'off' || word === '0') return null;
  const ns = timeNs(word);
  if (ns === null) throw unitMissing(word, 'ms', interval) ?? new ValueError('not a time');
  const us = Math.round(ns / 1000);
  if (us < shortestUs) throw new ValueError('shorter than 1ms');
  if (us > longestUs) throw new ValueError('longer than 10s');
  return us;
}

/**
 * Parses a delay of --skew such as "250us", or "0", to whole nanoseconds.
 * @throws {ValueError} if the text is not a time, or the delay is longer than `longestSkewNs`
 */
export function skewTime(text: string): number {
  const word = text.trim().toLowerCase();
  if (word === '0') return 0;
  const ns = timeNs(word);
  if (ns === null) throw unitMissing(word, 'us', skewTime) ?? new ValueError('not a time');
  if (ns > longestSkewNs) throw new ValueError(`longer than ${longestSkewText}`);
  return Math.round(ns);
}

/**
 * Parses a percentage such as "1%" or "0.5 %" to a share (0.01); null for "off".
 * @throws {ValueError} if the text is no percentage, or is outside 0.1 % to 50 %
 */
export function precision(text: string): number | null {
  const word = text.trim().toLowerCase();
  if (word === 'off') return null;
  const [, digits] = /^(\d+(?:\.\d+)?|\.\d+)\s*%$/.exec(word) ?? [];
  if (digits === undefined) throw unitMissing(word, '%', precision) ?? new ValueError('not a percentage');
  const percent = Number(digits);
  if (percent < 0.1) throw new ValueError('less than 0.1%');
  if (percent > 50) throw new ValueError('more than 50%');
  return percent / 100;
}

/** Longest wait for idle hosts (`--wait-quiet`), as text, if the user types the option without a time. */
export const usualWait = '10m';

/** Shortest wait for idle hosts, in seconds: readings of 3 s, which come once a second, show whether they are idle. */
const minWaitS = 5;

/**
 * Parses a value of --wait-quiet such as "10m" to seconds. "true" (the option without a time) means `usualWait`; null for "off" or
 * "false": do not wait.
 * @throws {ValueError} if the text is no time, or is outside 5 s to 24 h
 */
export function parseWaitTime(text: string): number | null {
  const word = text.trim().toLowerCase();
  if (word === 'off' || word === 'false') return null;
  return duration(word === 'true' ? usualWait : word, minWaitS);
}

/**
 * Parses "300" (a plain number means seconds, for compatibility) or a time such as "5m" to seconds.
 * @throws {ValueError} if the text is neither, the number is not above 0, the time is below 1 s, or either is longer than 24 h
 */
export const secondsOrTime = (text: string): number =>
  Number.isFinite(Number(text)) ? positiveTo(86_400)(text) : duration(text);

const unitsS: Record<string, number> = { s: 1, m: 60, h: 3600 };

/**
 * Parses a time such as "30s", "4m", "1.5h" to seconds.
 * @throws {ValueError} if the text is no time, or is outside `minS` seconds to 24 h
 */
export function duration(text: string, minS = 1): number {
  const [, digits, unit] = /^(\d+(?:\.\d+)?|\.\d+)\s*([smh])$/.exec(text.trim().toLowerCase()) ?? [];
  if (digits === undefined || unit === undefined)
    throw unitMissing(text.trim(), 's', duration) ?? new ValueError('not a time');
  const seconds = Number(digits) * (unitsS[unit] as number);
  if (seconds < minS) throw new ValueError(`shorter than ${minS}s`, `${minS}s`);
  if (seconds > 86_400) throw new ValueError('longer than 24h', '24h');
  return seconds;
}

/** Returns a parser that throws if `parse` rejects the text, and otherwise returns the text unchanged. */
export const keepText =
  (parse: (text: string) => unknown) =>
  (text: string): string => {
    parse(text);
    return text;
  };

/**
 * Returns a parser for a list of whole numbers from 1 to `max`, in the order typed and without repetition: "64,100". The item
 * "64..4096" stands for 64, 128, 256, ... up to 4096. For other texts the parser throws a ValueError.
 * @param noun name of one of the numbers in messages
 */
export function doublingList(noun: string, max: number): (text: string) => number[] {
  const one = (word: string): number => {
    if (!/^\d{1,10}$/.test(word)) throw new ValueError(`'${word}' is no ${noun}`);
    const value = Number(word);
    if (value < 1 || value > max) throw new ValueError(`'${word}' is not from 1 to ${max}`);
    return value;
  };
  return (text) =>
    unique(
      text.split(',').flatMap((part) => {
        const [low = '', high, ...more] = part.trim().split('..');
        const from = one(low);
        if (high === undefined) return [from];
        const to = one(high);
        if (more.length > 0 || to < from) throw new ValueError(`'${part.trim()}' is no range`);
        const made: number[] = [];
        for (let value = from; value <= to; value *= 2) made.push(value);
        return made;
      }),
    );
}

/**
 * Parses a relative change above 0 and below 1: "2%", "2 %" and "0.02" all give 0.02.
 * @throws {ValueError} if the text is not such a share
 */
export function share(text: string): number {
  const [, number, percent] = /^\s*(\d+(?:\.\d+)?|\.\d+)\s*(%?)\s*$/.exec(text) ?? [];
  if (number === undefined) throw new ValueError('not a share');
  const value = Number(number) / (percent === '%' ? 100 : 1);
  if (!(value > 0)) throw new ValueError('not above 0');
  if (value >= 1) throw new ValueError('100 % or more');
  return value;
}

export const shareAllowed = 'above 0 and below 100 %: 2%, 0.5%, 0.02';
