// One unit for all values of a table column, shown in the column's head, so that readers can compare rows by eye.
import type { FigureUnit } from '../results/schema/index.ts';
import { countText } from '../results/units.ts';
import { formatCount, threeDigits } from './wording.ts';

export interface ColumnUnit {
  /** Unit name, for example "µs" or "M/s"; empty for counts. */
  unit: string;
  /**
   * SI prefix for a rate, such as "M" for millions per second; '' for a rate shown in 1/s. The heads of such columns end with "/s",
   * so the prefix goes in front. Null for other units.
   */
  ratePrefix: string | null;
  /** Converts a value from the base unit (ns, GB/s, 1/s) to this unit and formats it, without the unit's name. */
  text(value: number): string;
}

type UnitScale = readonly (readonly [number, string])[];
const times: UnitScale = [
  [1e9, 's'],
  [1e6, 'ms'],
  [1e3, 'µs'],
  [1, 'ns'],
];
const bandwidths: UnitScale = [
  [1, 'GB/s'],
  [1e-3, 'MB/s'],
  [1e-6, 'kB/s'],
];
const ratePrefixes = new Map([
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
  [1, ''],
]);
const rates: UnitScale = [...ratePrefixes].map(([size, prefix]) => [size, `${prefix}/s`]);
const scales: Record<Exclude<FigureUnit, '1'>, UnitScale> = { ns: times, 'GB/s': bandwidths, '1/s': rates };

/** Formats a number with three significant digits, or as a whole number with commas from 1000 up. */
const digits = (value: number): string => (Math.abs(value) >= 1000 ? formatCount(value) : threeDigits(value));

/**
 * True if the value is at least 1 in the tested unit, so that this unit is not too large for it. Microseconds are accepted from 0.1
 * on; only shorter times are shown in nanoseconds.
 * @param value in the figure's base unit (ns, GB/s, 1/s)
 * @param size value of the tested unit in the base unit: 1000 for µs
 * @param unit base unit
 */
const isWholly = (value: number, size: number, unit: FigureUnit): boolean =>
  value >= size * (unit === 'ns' && size === 1e3 ? 0.1 : 1);

/**
 * Returns one unit for all values of a table column: the largest unit in which at least half of the positive values are at least 1
 * (microseconds: at least 0.1). If there is no such unit, or no positive value, it is the smallest unit. Counts ('1') have no unit
 * and are formatted by `fractionText`.
 * @param values in the base unit: ns, GB/s, 1/s
 */
export function columnUnit(unit: FigureUnit, values: readonly number[]): ColumnUnit {
  if (unit === '1') return { unit: '', ratePrefix: null, text: fractionText };
  const sorted = values.filter((value) => value > 0).sort((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const scale = scales[unit];
  const fitting = scale.find(([size]) => isWholly(middle, size, unit)) ?? scale.at(-1);
  const [size, name] = fitting ?? [1, unit];
  const ratePrefix = unit === '1/s' ? (ratePrefixes.get(size) ?? '') : null;
  return { unit: name, ratePrefix, text: (value) => digits(value / size) };
}

/**
 * Returns a column head with its unit: "latency, µs". The head of a rate already names its unit and gets only a prefix: "M
 * points/s". A head of counts stays as it is.
 */
export function withUnit(head: string, { unit, ratePrefix }: ColumnUnit): string {
  if (ratePrefix !== null) return `${ratePrefix} ${head}`.trimStart();
  return unit === '' ? head : `${head}, ${unit}`;
}

/** Largest denominator with which a count per operation is printed as a fraction, such as "1/64". */
const maxDenominator = 4096;

/**
 * Formats a count per operation: "32", "1.25". A positive value below 1 that equals (to one millionth) a fraction 1/n with n up to
 * 4096 is written as this fraction: "1/64".
 */
export function fractionText(value: number): string {
  if (value <= 0 || value >= 1) return countText(value);
  const parts = Math.round(1 / value);
  const isExact = parts <= maxDenominator && Math.abs(1 / parts - value) < 1e-6 * value;
  return isExact ? `1/${parts}` : countText(value);
}
