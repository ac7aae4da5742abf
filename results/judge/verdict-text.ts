// Texts of a verdict about a change in time, equal on the terminal, in HTML pages, in JUnit files and for the gate. The measured
// ratio is always included.
import { endsText, usefulEnds, valueRange } from '../units.ts';
import { isLarge } from './difference.ts';

/** A change in time, as texts need it. `ratio` is the new time divided by the time of the reference: above 1 is slower. */
export interface VerdictRecord {
  ratio: number;
  /** Lower bound of the 95 % interval of the ratio, `high` is the upper one; null if it was not computed. */
  low: number | null;
  high: number | null;
  /** Lowest and highest ratio of a launch of the new side to a launch of the reference; absent in files of older versions. */
  observed?: readonly [number, number] | undefined;
  /** Reason why the verdict is uncertain, as a sentence; null or absent if it is certain. */
  reason?: string | null | undefined;
}

/**
 * Largest ratio of times that is printed as a number. A larger ratio is printed as ">x1000", and one below 1/1000 as "<x0.001",
 * since it means a mistake in measuring. effectText() prints ">1000-fold" for a larger change.
 */
const maxFold = 1000;

/**
 * Returns a ratio of times as text: "+6.2 %", "-3.0 %" (faster). From tenfold on it is a factor: "x38", or "x0.026" for times that
 * became shorter.
 * @param unit text after the number of percent
 */
export const changeText = (ratio: number, unit = ' %'): string => {
  if (ratio > maxFold) return `>x${maxFold}`;
  if (ratio >= 10) return `x${Number(ratio.toPrecision(3))}`;
  if (ratio < 1 / maxFold) return `<x${1 / maxFold}`;
  if (ratio <= 0.1) return `x${Number(ratio.toPrecision(2))}`;
  const percent = (ratio - 1) * 100;
  const text = Math.abs(percent).toFixed(Math.abs(percent) < 99.5 ? 1 : 0);
  const sign = Number(text) === 0 ? '' : percent < 0 ? '-' : '+';
  return `${sign}${text}${unit}`;
};

/**
 * Returns the size of a change without its direction: "1.3 %" for a `share` of 0.013, "84 %"; from a share of 9 on the new value as
 * a multiple of the old one, so that 37 is "38-fold".
 */
export function effectText(share: number): string {
  if (share > maxFold) return `>${maxFold}-fold`;
  if (share >= 9) return `${Number((1 + share).toPrecision(2))}-fold`;
  return `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)} %`;
}

/** Largest e-value that is printed as a number: more evidence than this makes no difference. */
const largestEvidence = 1e6;

/** Returns an e-value as text with two digits: "0.031", "230"; "<0.001" and ">1e6" for values beyond these limits. */
export const evidenceText = (value: number): string =>
  value > largestEvidence ? '>1e6' : value < 0.001 ? '<0.001' : `${Number(value.toPrecision(2))}`;

/**
 * Returns a change of a time with its direction: "20x slower", "1.9x faster"; below a factor of 1.5 "5.2 % slower".
 * @param ratio ratio of times, above 1 is slower
 */
export function directionText(ratio: number): string {
  const direction = ratio >= 1 ? 'slower' : 'faster';
  if (!isLarge(ratio)) return `${effectText(Math.abs(ratio - 1))} ${direction}`;
  const fold = ratio >= 1 ? ratio : 1 / ratio;
  return `${fold > maxFold ? `>${maxFold}` : Number(fold.toPrecision(2))}x ${direction}`;
}

/**
 * Returns a ratio of times with its range. With a 95 % interval: "+6.2 % [+5.1, +7.4]", or "+62 % [at least +54]" if only one end
 * is within a factor of ten of the ratio. Without such an end, the lowest and highest ratio between launches follow in parentheses:
 * "x20.4 (x11.2 to x31)". The ratio stands alone if each side has one launch, or if this range is not known.
 */
export function intervalText({ ratio, low, high, observed }: VerdictRecord): string {
  const bound = (value: number) => changeText(value, '');
  const ends = usefulEnds(ratio, { low, high });
  if (ends.low !== null || ends.high !== null)
    return `${changeText(ratio)} [${endsText(ratio, ends, bound, ', ')}]`;
  if (observed === undefined || bound(observed[0]) === bound(observed[1])) return changeText(ratio);
  return `${changeText(ratio)} (${bound(observed[0])} to ${bound(observed[1])})`;
}

/**
 * Returns the text of an unconfirmed change: "20x slower, not confirmed: machine busy (other processes used 1.1, then 1.3
 * cores)".
 * @param since text that follows the direction: " since 2026-11-21"
 */
export const unconfirmedText = (
  { ratio, reason }: Pick<VerdictRecord, 'ratio' | 'reason'>,
  since = '',
): string =>
  `${directionText(ratio)}${since}, not confirmed${reason === null || reason === undefined ? '' : `: ${reason}`}`;

/** Returns the entry with the largest change of time in either direction. @throws RangeError if the list is empty */
export function largestChange<T extends { ratio: number }>(all: readonly T[]): T {
  const [first, ...rest] = all;
  if (first === undefined) throw new RangeError('no change to choose from');
  const size = ({ ratio }: T): number => Math.abs(Math.log(ratio));
  return rest.reduce((most, one) => (size(one) > size(most) ? one : most), first);
}

/**
 * Returns the range of several changes of time as text, whatever their verdicts: "-3.0 % to x5.2 time", "+8.1 % time".
 * @param all at least one change; `ratio` is the new time divided by the time of the reference
 */
export function changesRangeText(all: readonly { ratio: number }[]): string {
  const ratios = all.map(({ ratio }) => ratio);
  return `${valueRange(ratios, changeText)} time`;
}
