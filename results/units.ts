/** Words for numbers that more than one room says. */

const steps = [
  ['GiB', 2 ** 30],
  ['MiB', 2 ** 20],
  ['KiB', 2 ** 10],
] as const;

/**
 * A message size for people: "8 B", "1 MiB", "1.5 KiB"; exact, or with at most two decimals.
 * @param bytes whole number >= 0
 */
export function sizeText(bytes: number): string {
  for (const [unit, size] of steps) {
    if (bytes >= size) return `${Number((bytes / size).toFixed(2))} ${unit}`;
  }
  return `${bytes} B`;
}

/** A message size as typed on the command line: "8", "1M"; bytes where no binary unit divides it. */
export function sizeFlag(bytes: number): string {
  for (const [unit, size] of steps) {
    if (bytes >= size && bytes % size === 0) return `${bytes / size}${unit[0]}`;
  }
  return `${bytes}`;
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

/** A value of an axis for people: "1 MiB", "10 us", "8". */
export function axisText(unit: 'B' | 'ns' | '', value: number): string {
  if (unit === 'B') return sizeText(value);
  return unit === 'ns' ? durationText(value) : String(value);
}
