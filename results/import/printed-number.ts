/** A number, with the precision of the digits with which a program printed it. */
export interface PrintedNumber {
  value: number;
  /** Half a unit of the last printed digit: the true value is between value - half and value + half. */
  half: number;
}

const decimal = /^[+-]?(\d+)(?:\.(\d*))?(?:e([+-]?\d{1,3}))?$/i;

/** Parses a plain decimal number; null for N/A, nan, inf, hexadecimal numbers, other text and undefined. */
export function printedNumber(text: string | undefined): PrintedNumber | null {
  const trimmed = (text ?? '').trim();
  // Texts longer than any printed number are rejected without a closer look.
  const found = trimmed.length > 40 ? null : decimal.exec(trimmed);
  if (found === null) return null;
  const value = Number(trimmed);
  if (!Number.isFinite(value)) return null;
  return { value, half: 0.5 * 10 ** (Number(found[3] ?? 0) - (found[2]?.length ?? 0)) };
}

/** Returns the printed number if it is whole, >= 0 and exact in a double; null for any other text. */
export function wholeNumberOf(text: string | undefined): number | null {
  const value = printedNumber(text)?.value;
  return value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/**
 * Relative tolerance, besides rounding, when printed numbers are compared. Programs compute rates from times with all digits, so
 * small differences remain.
 */
const slack = 1e-6;

/**
 * True if payload bytes, printed time and printed rate can belong to one operation, within the rounding of their digits.
 * @param unitNs ns in one unit of `time`
 * @param perSecond bytes per second in one unit of `rate`: 1e9 for GB/s
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

/** True if `part` is `factor` times `whole`, within the rounding of the printed digits of both. */
export function isMultiple(part: PrintedNumber, whole: PrintedNumber, factor: number): boolean {
  const open = part.half + whole.half * factor + Math.abs(part.value) * slack;
  return Math.abs(part.value - whole.value * factor) <= open;
}
