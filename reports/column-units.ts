// One unit for a whole column, shown in its head, so that readers can compare rows by eye.
import type { FigureUnit } from '../results/schema/index.ts';
import { countText } from '../results/units.ts';
import { formatCount, threeDigits } from './wording.ts';

export interface ColumnUnit {
  /** Unit name, for example "µs"; empty for counts. */
  unit: string;
  /** Formats a value in this unit, without the unit's name. */
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
const rates: UnitScale = [
  [1e9, 'G/s'],
  [1e6, 'M/s'],
  [1e3, 'k/s'],
  [1, '/s'],
];
const scales: Record<Exclude<FigureUnit, '1'>, UnitScale> = { ns: times, 'GB/s': bandwidths, '1/s': rates };

/**
 * Formats a value with three digits, or as a whole number with commas from 1000 up. Values below a millionth of the unit print as
 * 0.
 */
const digits = (value: number): string => (Math.abs(value) >= 1000 ? formatCount(value) : threeDigits(value));

/** True if a value is at least one unit. Microseconds are used from a tenth on; only shorter times are in nanoseconds. */
const isWholly = (value: number, size: number, unit: FigureUnit): boolean =>
  value >= size * (unit === 'ns' && size === 1e3 ? 0.1 : 1);

/** Returns the largest unit in which half of the values are at least 1 (for microseconds: at least 0.1). */
export function columnUnit(unit: FigureUnit, values: readonly number[]): ColumnUnit {
  if (unit === '1') return { unit: '', text: fractionText };
  const sorted = values.filter((value) => value > 0).sort((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const scale = scales[unit];
  const fitting = scale.find(([size]) => isWholly(middle, size, unit)) ?? scale.at(-1);
  const [size, name] = fitting ?? [1, unit];
  return { unit: name, text: (value) => digits(value / size) };
}

/**
 * Returns a column head with its unit: "latency, µs". Heads that name a rate get only the prefix: "images/s at 32", "M points/s".
 */
export function withUnit(head: string, { unit }: ColumnUnit): string {
  if (head.includes('/s') && rates.some(([, name]) => name === unit))
    return `${unit.replace('/s', '')} ${head}`.trimStart();
  return unit === '' ? head : `${head}, ${unit}`;
}

/** Largest denominator of a count per operation that is printed as a fraction. */
const mostParts = 4096;

/** Formats a count per operation: "32", "1.25", or "1/64" if it is exactly a fraction. */
export function fractionText(value: number): string {
  if (value <= 0 || value >= 1) return countText(value);
  const parts = Math.round(1 / value);
  const isExact = parts <= mostParts && Math.abs(1 / parts - value) < 1e-6 * value;
  return isExact ? `1/${parts}` : countText(value);
}
