/** A number as a program printed it. */
export interface PrintedNumber {
  value: number;
  /** Half a unit of the last digit: the true value lies within value - half and value + half. */
  half: number;
}

const decimal = /^[+-]?(\d+)(?:\.(\d*))?(?:e([+-]?\d{1,3}))?$/i;

/** Plain decimal numbers alone; null for N/A, nan, inf, hexadecimal, and for what is no number. */
export function printedNumber(text: string | undefined): PrintedNumber | null {
  const trimmed = (text ?? '').trim();
  // More digits than any program prints: no need to look at them.
  const found = trimmed.length > 40 ? null : decimal.exec(trimmed);
  if (found === null) return null;
  const value = Number(trimmed);
  if (!Number.isFinite(value)) return null;
  return { value, half: 0.5 * 10 ** (Number(found[3] ?? 0) - (found[2]?.length ?? 0)) };
}

/** A whole number that a double holds exactly, not negative; else null. */
export function wholeNumberOf(text: string | undefined): number | null {
  const value = printedNumber(text)?.value;
  return value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** Programs compute rates from times that they round only when printing; doubles add little to that. */
const slack = 1e-6;

/**
 * Whether bytes, time and rate can be of one operation, given the digits that were printed.
 * @param perSecond bytes per second that one unit of `rate` stands for: 1e9 for GB/s
 * @param unitNs    ns that one unit of `time` stands for
 */
export function ratesAgree(
  bytes: number,
  time: PrintedNumber,
  unitNs: number,
  rate: PrintedNumber,
  perSecond: number,
): boolean {
  const shortest = (time.value - time.half) * unitNs * 1e-9;
  const longest = (time.value + time.half) * unitNs * 1e-9;
  const least = longest > 0 ? bytes / longest / perSecond : 0;
  const most = shortest > 0 ? bytes / shortest / perSecond : Number.POSITIVE_INFINITY;
  return (
    rate.value + rate.half >= least * (1 - slack) - Number.EPSILON &&
    rate.value - rate.half <= most * (1 + slack) + Number.EPSILON
  );
}

/** Whether `part` can be `factor` times `whole`, given the digits that were printed. */
export function isMultiple(part: PrintedNumber, whole: PrintedNumber, factor: number): boolean {
  const open = part.half + whole.half * factor + Math.abs(part.value) * slack;
  return Math.abs(part.value - whole.value * factor) <= open;
}
