// Functions that write sizes, times, rates and counts as text for readers.

const binaryUnits = [
  ['TiB', 2 ** 40],
  ['GiB', 2 ** 30],
  ['MiB', 2 ** 20],
  ['KiB', 2 ** 10],
] as const;

/**
 * Returns a message size for readers: "8 B", "1 MiB", "1.5 KiB"; at most two decimals, so it may be rounded.
 * @param bytes whole number >= 0
 */
export function sizeText(bytes: number): string {
  for (const [unit, size] of binaryUnits) {
    if (bytes >= size) return `${Number((bytes / size).toFixed(2))} ${unit}`;
  }
  return `${bytes} B`;
}

/**
 * Returns message sizes as text: up to four as a list, "8 B, 1 KiB"; more as "9 sizes, 8 B to 1 MiB"; '' for none.
 * @param sizes sizes in bytes
 */
export const sizesText = (sizes: readonly number[]): string =>
  sizes.length <= 4
    ? sizes.map(sizeText).join(', ')
    : `${sizes.length} sizes, ${sizeText(Math.min(...sizes))} to ${sizeText(Math.max(...sizes))}`;

/**
 * Returns a message size in the form in which options take it: "1M" for 1048576, and "1000" for 1000, since only whole binary units
 * are used.
 */
export function sizeFlag(bytes: number): string {
  for (const [unit, size] of binaryUnits) {
    if (bytes >= size && bytes % size === 0) return `${bytes / size}${unit[0]}`;
  }
  return `${bytes}`;
}

/** Returns a number of bytes without rounding: "1 MiB" for 1048576, "8 B" for 8, "1,000,000 B" for 1000000. */
export function formatBytes(bytes: number): string {
  for (const [unit, size] of binaryUnits) {
    if (bytes >= size && bytes % size === 0) return `${formatCount(bytes / size)} ${unit}`;
  }
  return `${formatCount(bytes)} B`;
}

/** Returns a number of bytes rounded to three digits, for sizes that are estimated: "190 KiB" for 194560. */
export function formatBytesAbout(bytes: number): string {
  for (const [unit, size] of binaryUnits) {
    if (bytes >= size) return `${threeDigits(bytes / size).replace(/\.0+$/, '')} ${unit}`;
  }
  return `${Math.round(bytes)} B`;
}

/**
 * Returns a number of bytes in decimal units (powers of 1000), as is usual for traffic, with three significant digits: "0 B", "6.44
 * GB".
 */
export function bytesText(bytes: number): string {
  for (const [unit, size] of [
    ['TB', 1e12],
    ['GB', 1e9],
    ['MB', 1e6],
    ['kB', 1e3],
  ] as const) {
    if (Math.abs(bytes) >= size) return `${Number((bytes / size).toPrecision(3))} ${unit}`;
  }
  return `${bytes} B`;
}

/** Returns a duration with three significant digits: "4.71 µs", "281 µs", "978 ms", "12.3 s". @param ns >= 0 */
export function durationText(ns: number): string {
  for (const [unit, size] of [
    ['s', 1e9],
    ['ms', 1e6],
    ['µs', 1e3],
  ] as const) {
    if (ns >= size) return `${Number((ns / size).toPrecision(3))} ${unit}`;
  }
  return `${Number(ns.toPrecision(3))} ns`;
}

/**
 * Returns a number, rounded to a whole one, with thousands separators: "1,344". Intl is not used, because its first use costs 30 ms
 * at startup.
 */
export function formatCount(n: number): string {
  return String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Returns the plural of an English noun: "batches" for "batch" (`es` after s, x, ch, sh), "sizes" for "size". */
export const pluralForm = (one: string): string => `${one}${/(?:s|x|ch|sh)$/.test(one) ? 'es' : 's'}`;

/**
 * Returns a number with its noun in the right form: "28 sizes", "1 size".
 * @param many plural of the noun; absent = pluralForm()
 */
export function plural(n: number, one: string, many = pluralForm(one)): string {
  return `${formatCount(n)} ${n === 1 ? one : many}`;
}

/**
 * Returns words as an enumeration: "socket", "socket and sisci", "socket, sisci and shm"; '' for none.
 * @param last word that stands before the last one
 */
export function joinWords(words: readonly string[], last = 'and'): string {
  if (words.length <= 1) return words[0] ?? '';
  return `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;
}

/** Joins names: with semicolons if a name contains a comma, otherwise as an enumeration. */
export const joinNames = (names: readonly string[]): string =>
  names.some((name) => name.includes(', ')) ? names.join('; ') : joinWords(names);

/**
 * Returns a number with three significant digits and no exponent: "4.71" for 4.7123, "0.500" for 0.5, "281" for 281.4, "0" for 0.
 */
export function threeDigits(x: number): string {
  if (x === 0 || !Number.isFinite(x)) return String(x);
  const text = Number(x.toPrecision(3));
  if (Math.abs(text) >= 100) return String(text);
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(text))));
  return text.toFixed(Math.min(decimals, 12));
}

/**
 * Returns the value with three digits in the largest unit in which it is at least 1 after rounding; in the smallest unit if there
 * is none.
 * @param units units as [size, name], from the largest to the smallest
 */
function scaleValue(value: number, units: readonly (readonly [number, string])[]): string {
  for (const [size, name] of units) {
    if (Number((value / size).toPrecision(3)) >= 1) return `${threeDigits(value / size)} ${name}`;
  }
  const [size, name] = units.at(-1) ?? [1, ''];
  return `${threeDigits(value / size)} ${name}`;
}

/** Returns a time as "4.71 µs", "0.523 µs", "281 µs", "978 ms", "1.20 s"; below 100 ns as "52.0 ns". */
export function formatTime(ns: number): string {
  if (ns < 0) return `-${formatTime(-ns)}`;
  if (ns >= 100 && Number(ns.toPrecision(3)) < 1000) return `${threeDigits(ns / 1000)} µs`;
  return scaleValue(ns, [
    [1e9, 's'],
    [1e6, 'ms'],
    [1e3, 'µs'],
    [1, 'ns'],
  ]);
}

/** Returns a bandwidth, given in GB/s (1e9 bytes per second), as "7.10 GB/s", "15.4 MB/s", "850 kB/s"; 0 is "0 GB/s". */
export function formatBandwidth(gbps: number): string {
  if (gbps === 0) return '0 GB/s';
  return scaleValue(gbps * 1e9, [
    [1e9, 'GB/s'],
    [1e6, 'MB/s'],
    [1e3, 'kB/s'],
    [1, 'B/s'],
  ]);
}

/** Returns a rate per second (`perS`) as "1.20 M/s" for 1200000; 0 is "0 /s". */
export function formatRate(perS: number): string {
  if (perS === 0) return '0 /s';
  return scaleValue(perS, [
    [1e9, 'G/s'],
    [1e6, 'M/s'],
    [1e3, 'k/s'],
    [1, '/s'],
  ]);
}

/**
 * Returns a count or a mean of counts: "32", "1.25", "3,020,000,512". From 1000 on it is rounded to a whole number with thousands
 * separators.
 */
export const countText = (n: number): string =>
  Number.isInteger(n) || Math.abs(n) >= 1000 ? formatCount(n) : threeDigits(n);

/**
 * Returns the size of a share as percent, without its sign: "0.8 %" for 0.008 and for -0.008, "12 %" for 0.123. Small shares give
 * "<0.1 %", shares above 9.99 give ">999 %".
 */
export function formatPercent(share: number): string {
  const percent = Math.abs(share) * 100;
  if (percent > 0 && percent < 0.05) return '<0.1 %';
  // Above 999 % only ">999 %" is shown, so that columns keep their width.
  if (percent > 999) return '>999 %';
  return `${percent < 9.95 ? percent.toFixed(1) : String(Math.round(percent))} %`;
}

/** Returns half the width of an interval, divided by `value`: 0.02 = 2 %; not finite if the value is 0. */
export function halfWidth(value: number, { low, high }: IntervalBounds): number {
  return (high - low) / 2 / value;
}

export interface IntervalBounds {
  low: number;
  high: number;
}

/** The ends of an interval that readers can use; null = there is no such end. */
export interface UsefulEnds {
  low: number | null;
  high: number | null;
}

/**
 * Factor between a value and an end of its interval above which the end is of no use to a reader: after few launches an end may be
 * a thousand times the value. endsText() leaves out such an end; spreadText() leaves out the interval if both ends are such.
 */
const maxEndFactor = 10;

/** Returns those ends of an interval that are within a factor of ten of the value; null for the others. */
export function usefulEnds(value: number, { low, high }: UsefulEnds): UsefulEnds {
  return {
    low: low !== null && low * maxEndFactor >= value ? low : null,
    high: high !== null && high <= maxEndFactor * value ? high : null,
  };
}

/**
 * Returns the range from the lowest to the highest value: "8 B to 1 GiB"; "8 B" if both have the same text.
 * @param values not empty
 */
export function valueRange(
  values: readonly number[],
  text: (value: number) => string,
  between = ' to ',
): string {
  const [low, high] = [text(Math.min(...values)), text(Math.max(...values))];
  return low === high ? low : `${low}${between}${high}`;
}

/** Text instead of an interval of which neither end is of use. */
const notYetKnown = 'not yet known';

/**
 * Returns the interval of a value by its useful ends: "1.54 to 1.70", "at least 1.54", "at most 1.70" or "not yet known".
 * @param text returns the text of one end
 * @param between text between both ends
 */
export function endsText(
  value: number,
  interval: UsefulEnds,
  text: (end: number) => string,
  between = ' to ',
): string {
  const { low, high } = usefulEnds(value, interval);
  if (low !== null && high !== null) return `${text(low)}${between}${text(high)}`;
  if (low !== null) return `at least ${text(low)}`;
  return high === null ? notYetKnown : `at most ${text(high)}`;
}

/**
 * Largest relative half width that is printed as "±". For wider intervals both ends are printed, because "±111 %" would include
 * times below zero.
 */
const maxHalfWidth = 0.5;

/**
 * Returns the width of an interval as text. Narrow: half of the width relative to the value, "2.1 %". Wide: both ends as multiples
 * of the value, "x0.4-2.6"; "unknown" if neither end is within a factor of ten of the value.
 */
export function spreadText(value: number, interval: IntervalBounds): string {
  if (!isWideSpread(value, interval)) return formatPercent(halfWidth(value, interval));
  if (isUselessSpread(value, interval)) return unknownSpread;
  const [low, high] = [interval.low / value, interval.high / value];
  const lowText = low < 0.01 ? '0' : String(Number(low.toPrecision(1)));
  return `x${lowText}-${high > 999 ? '>999' : Number(high.toPrecision(2))}`;
}

/** Text instead of the width of an interval of which neither end is of use. */
export const unknownSpread = 'unknown';

/** True if neither end of an interval is within a factor of ten of the value. */
export function isUselessSpread(value: number, interval: IntervalBounds): boolean {
  const { low, high } = usefulEnds(value, interval);
  return low === null && high === null;
}

/** True if an interval is so wide that its ends are printed as factors of the value. */
export const isWideSpread = (value: number, interval: IntervalBounds): boolean =>
  halfWidth(value, interval) > maxHalfWidth;

/**
 * Returns how wide a 95 % interval is, in the form printed after its value: "±2.1 %". A wide interval gives its ends as multiples
 * of the value: "x0.4-2.6". If neither end is within a factor of ten of the value, the text is "unknown".
 */
export const plusMinus = (value: number, interval: IntervalBounds): string =>
  signedSpread(spreadText(value, interval));

/**
 * Returns plusMinus() for an interval of which only the relative half width is known.
 * @param half half the width divided by the value: 0.02 = 2 %
 */
export const plusMinusHalf = (half: number): string => plusMinusLog(Math.asinh(half));

/**
 * Returns plusMinus() for an interval that is symmetric in ln(time).
 * @param log half the width of the interval of ln(time)
 */
export const plusMinusLog = (log: number): string =>
  plusMinus(1, { low: Math.exp(-log), high: Math.exp(log) });

/** Adds "±" to a width: "±2.1 %" for "2.1 %". A range such as "x0.4-2.6", and "unknown", stay unchanged. */
export const signedSpread = (text: string): string => (/^[<>]?\d/.test(text) ? `±${text}` : text);

/** Returns a share as percent with at most two significant digits: "5 %" for 0.05, "4.2 %" for 0.0423, "90 %" for 0.9. */
export const percentText = (share: number): string => `${percentNumber(share)} %`;

const percentNumber = (share: number): number => Number((share * 100).toPrecision(2));

/** Returns a range of shares as percent: "3 to 4 %" for 0.03 and 0.04; "3 %" if both ends give the same text. */
export const percentRange = (low: number, high: number): string =>
  percentText(low) === percentText(high) ? percentText(low) : `${percentNumber(low)} to ${percentText(high)}`;

/** Returns seconds, rounded to whole ones, as "42 s", "3 min 12 s", "1 h 04 min"; negative ones as "0 s". */
export function formatDuration(seconds: number): string {
  const s = Math.max(0, Math.round(seconds));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min${s % 60 > 0 ? ` ${s % 60} s` : ''}`;
  return `${Math.floor(s / 3600)} h ${String(Math.floor((s % 3600) / 60)).padStart(2, '0')} min`;
}
