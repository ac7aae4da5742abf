// Figures and points of a line of the index, in records of fixed width: "+09123456:00010100:0005 " and "gmqv28". A question about
// 10,000 runs with 48 figures each needs three of them; the others cost nothing but their bytes.

/** All sizes of a group, of one run. */
export interface GroupLevel {
  /** Mean over sizes and launches of log time, ns. */
  log: number;
  /** Standard deviation between launches of the mean over sizes of log time; 0 with fewer than two. */
  sd: number;
  /** 0 = not told. */
  launches: number;
}

const width = 24;
/** Logs are kept to one part in a million: no clock is better. */
const unit = 1e6;
/** A factor of e^99 between launches is beyond any measurement. */
const maxSd = 99_999_999;

export function recordOf({ log, sd, launches }: GroupLevel): string {
  const ppm = Math.round(log * unit);
  const sign = ppm < 0 ? '-' : '+';
  return [
    sign + String(Math.abs(ppm)).padStart(8, '0'),
    String(Math.min(maxSd, Math.round(sd * unit))).padStart(8, '0'),
    `${String(Math.min(9999, launches)).padStart(4, '0')} `,
  ].join(':');
}

/** The record of a column; null where there is none that can be read. */
export function figureAt(figures: string, column: number): GroupLevel | null {
  const at = column * width;
  // Also where the text is too short: no record ends without a blank.
  if (figures[at + width - 1] !== ' ') return null;
  const size = numberAt(figures, at + 1, 8);
  const sd = numberAt(figures, at + 10, 8);
  const launches = numberAt(figures, at + 19, 4);
  if (size < 0 || sd < 0 || launches < 0) return null;
  return { log: (figures[at] === '-' ? -size : size) / unit, sd: sd / unit, launches };
}

const zero = 48;

/** A whole number of so many digits; -1 where there is something else. Ten times as fast as cutting it out. */
function numberAt(text: string, from: number, digits: number): number {
  let value = 0;
  for (let i = from; i < from + digits; i += 1) {
    const digit = text.charCodeAt(i) - zero;
    if (!(digit >= 0 && digit <= 9)) return -1;
    value = value * 10 + digit;
  }
  return value;
}

const pointWidth = 6;
/** Makes negative logs positive: e^-1000 ns is below any time. */
const pointOffset = 1e9;
const noPoint = '-'.repeat(pointWidth);

/** @param log of a time in ns; null if the size has no interval or was not measured */
export const pointText = (log: number | null): string =>
  log === null
    ? noPoint
    : (Math.round(log * unit) + pointOffset).toString(36).padStart(pointWidth, '0').slice(-pointWidth);

/** Whether all of `count` points are there; `from` counts points. */
export function hasAllPoints(points: string, from: number, count: number): boolean {
  const gap = points.indexOf('-', from * pointWidth);
  const end = (from + count) * pointWidth;
  return points.length >= end && (gap < 0 || gap >= end);
}

/** Log times of `count` points; null for each that is missing. */
export const pointsAt = (points: string, from: number, count: number): (number | null)[] =>
  Array.from({ length: count }, (_, i) => {
    const text = points.slice((from + i) * pointWidth, (from + i + 1) * pointWidth);
    return /^[0-9a-z]{6}$/.test(text) ? (Number.parseInt(text, 36) - pointOffset) / unit : null;
  });
