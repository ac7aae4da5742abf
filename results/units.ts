/** Text for numbers that several parts of the program show. */

const binaryUnits = [
  ['TiB', 2 ** 40],
  ['GiB', 2 ** 30],
  ['MiB', 2 ** 20],
  ['KiB', 2 ** 10],
] as const;

/**
 * A message size for people: "8 B", "1 MiB", "1.5 KiB"; exact, or with at most two decimals.
 * @param bytes whole number >= 0
 */
export function sizeText(bytes: number): string {
  for (const [unit, size] of binaryUnits) {
    if (bytes >= size) return `${Number((bytes / size).toFixed(2))} ${unit}`;
  }
  return `${bytes} B`;
}

/** List of up to four sizes; for more sizes their number, lowest and highest. */
export const sizesText = (sizes: readonly number[]): string =>
  sizes.length <= 4
    ? sizes.map(sizeText).join(', ')
    : `${sizes.length} sizes, ${sizeText(Math.min(...sizes))} to ${sizeText(Math.max(...sizes))}`;

/** A message size as typed on the command line: "8", "1M"; bytes where no binary unit divides it. */
export function sizeFlag(bytes: number): string {
  for (const [unit, size] of binaryUnits) {
    if (bytes >= size && bytes % size === 0) return `${bytes / size}${unit[0]}`;
  }
  return `${bytes}`;
}

/** A size exactly: 1048576 -> "1 MiB", 8 -> "8 B", 1000000 -> "1,000,000 B". */
export function formatBytes(bytes: number): string {
  for (const [unit, size] of binaryUnits) {
    if (bytes >= size && bytes % size === 0) return `${formatCount(bytes / size)} ${unit}`;
  }
  return `${formatCount(bytes)} B`;
}

/** A size to three digits, for what was interpolated: 194560 -> "190 KiB". */
export function formatBytesAbout(bytes: number): string {
  for (const [unit, size] of binaryUnits) {
    if (bytes >= size) return `${threeDigits(bytes / size).replace(/\.0+$/, '')} ${unit}`;
  }
  return `${Math.round(bytes)} B`;
}

/** Bytes moved, decimal as bandwidths are: "0 B", "6.44 GB". */
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

/** A duration: "4.71 us", "281 us", "978 ms", "12.3 s"; three significant digits. @param ns >= 0 */
export function durationText(ns: number): string {
  for (const [unit, size] of [
    ['s', 1e9],
    ['ms', 1e6],
    ['us', 1e3],
  ] as const) {
    if (ns >= size) return `${Number((ns / size).toPrecision(3))} ${unit}`;
  }
  return `${Number(ns.toPrecision(3))} ns`;
}

/** A whole number with thousands separators: 1344 -> "1,344". Written without Intl, whose first use costs 30 ms at startup. */
export function formatCount(n: number): string {
  return String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Plural of a noun: "size" to "sizes", "batch" to "batches". */
export const pluralForm = (one: string): string => `${one}${/(?:s|x|ch|sh)$/.test(one) ? 'es' : 's'}`;

/** A number with its noun in the right form: "28 sizes", "1 size". */
export function plural(n: number, one: string, many = pluralForm(one)): string {
  return `${formatCount(n)} ${n === 1 ? one : many}`;
}

/** A list in words: "socket", "socket and sisci", "socket, sisci and shm". */
export function joinWords(words: readonly string[], last = 'and'): string {
  if (words.length <= 1) return words[0] ?? '';
  return `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;
}

/** Three significant digits without exponent: 4.7123 -> "4.71", 0.5 -> "0.500", 281.4 -> "281", 0 -> "0". */
export function threeDigits(x: number): string {
  if (x === 0 || !Number.isFinite(x)) return String(x);
  const text = Number(x.toPrecision(3));
  if (Math.abs(text) >= 100) return String(text);
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(text))));
  return text.toFixed(Math.min(decimals, 12));
}

/**
 * The value in the largest unit in which it is at least 1 after rounding to three digits. @param units from the largest to the
 * smallest, as [size, name]
 */
export function scaleValue(value: number, units: readonly (readonly [number, string])[]): string {
  for (const [size, name] of units) {
    if (Number((value / size).toPrecision(3)) >= 1) return `${threeDigits(value / size)} ${name}`;
  }
  const [size, name] = units.at(-1) ?? [1, ''];
  return `${threeDigits(value / size)} ${name}`;
}

/**
 * Nanoseconds as "4.71 us", "0.523 us", "281 us", "978 ms", "1.20 s"; below 100 ns "52.0 ns".
 * @param micro "us" for terminals, "µs" for print
 */
export function formatTime(ns: number, micro: 'us' | 'µs' = 'us'): string {
  if (ns >= 100 && Number(ns.toPrecision(3)) < 1000) return `${threeDigits(ns / 1000)} ${micro}`;
  return scaleValue(ns, [
    [1e9, 's'],
    [1e6, 'ms'],
    [1e3, micro],
    [1, 'ns'],
  ]);
}

/** GB/s (1e9 bytes) as "7.10 GB/s", "15.4 MB/s", "850 kB/s"; 0 is "0 GB/s". */
export function formatBandwidth(gbps: number): string {
  if (gbps === 0) return '0 GB/s';
  return scaleValue(gbps * 1e9, [
    [1e9, 'GB/s'],
    [1e6, 'MB/s'],
    [1e3, 'kB/s'],
    [1, 'B/s'],
  ]);
}

/** A rate per second: "1.20 M/s"; 0 is "0 /s". */
export function formatRate(perS: number): string {
  if (perS === 0) return '0 /s';
  return scaleValue(perS, [
    [1e9, 'G/s'],
    [1e6, 'M/s'],
    [1e3, 'k/s'],
    [1, '/s'],
  ]);
}

/** A mean of counts: "32", "1.25", "3,020,000,512". */
export const countText = (n: number): string =>
  Number.isInteger(n) || Math.abs(n) >= 1000 ? formatCount(n) : threeDigits(n);

/** A share as percent: 0.008 -> "0.8 %", 0.123 -> "12 %", 0.0001 -> "<0.1 %". */
export function formatPercent(share: number): string {
  const percent = Math.abs(share) * 100;
  if (percent > 0 && percent < 0.05) return '<0.1 %';
  // Above 999 % only ">999 %" is shown, so that columns keep their width.
  if (percent > 999) return '>999 %';
  return `${percent < 9.95 ? percent.toFixed(1) : String(Math.round(percent))} %`;
}

/** Half the width of an interval as a share of its value. Infinite or NaN if the value is 0. */
export function halfWidth(value: number, { low, high }: IntervalBounds): number {
  return (high - low) / 2 / value;
}

export interface IntervalBounds {
  low: number;
  high: number;
}

/**
 * Largest half width, as a share of the value, that is printed as "±". Wider intervals print both ends, as "±111 %" would reach
 * below zero.
 */
const maxHalfWidth = 0.5;

/**
 * Width of an interval. Narrow: half of it as a share of the value, "2.1 %". Wide: both ends as multiples of the value,
 * "x0.4-2.6".
 */
export function spreadText(value: number, interval: IntervalBounds): string {
  const half = halfWidth(value, interval);
  if (!(half > maxHalfWidth)) return formatPercent(half);
  const [low, high] = [interval.low / value, interval.high / value];
  const lowText = low < 0.01 ? '0' : String(Number(low.toPrecision(1)));
  return `x${lowText}-${high > 999 ? '>999' : Number(high.toPrecision(2))}`;
}

/** The interval printed after a value: "±2.1 %", "x0.4-2.6". */
export const plusMinus = (value: number, interval: IntervalBounds): string =>
  signedSpread(spreadText(value, interval));

/** Same as plusMinus(), for an interval of which only the half width is known. @param half share of the value */
export const plusMinusHalf = (half: number): string => plusMinusLog(Math.asinh(half));

/** Same as plusMinus(), for an interval of which only the half width of the logarithm is known. */
export const plusMinusLog = (log: number): string =>
  plusMinus(1, { low: Math.exp(-log), high: Math.exp(log) });

/** Adds the sign: "2.1 %" becomes "±2.1 %"; "x0.4-2.6" stays unchanged. */
export const signedSpread = (text: string): string => (text.startsWith('x') ? text : `±${text}`);

/** A share as percent with at most two significant digits: 0.05 -> "5 %", 0.0423 -> "4.2 %", 0.9 -> "90 %". */
export const percentText = (share: number): string => `${Number((share * 100).toPrecision(2))} %`;

/** Seconds as "42 s", "3 min 12 s", "1 h 04 min". */
export function formatDuration(seconds: number): string {
  const s = Math.max(0, Math.round(seconds));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min${s % 60 > 0 ? ` ${s % 60} s` : ''}`;
  return `${Math.floor(s / 3600)} h ${String(Math.floor((s % 3600) / 60)).padStart(2, '0')} min`;
}
